import type { VariableType } from './operation';
import type { Connection, PlaceOfItems } from './place-of-items';

/** What a job asks by GraphQL; its parameters are the variables. */
export interface GraphqlRequest {
  /** The text of the document, as it is sent. */
  readonly document: string;
  /** Which of several operations is meant. */
  readonly operationName?: string;
  /** The variables that the operation declares and uses. */
  readonly variables: readonly string[];
  /** Their types, where texts are no values of them. */
  readonly types: ReadonlyMap<string, VariableType>;
  readonly edges?: NonNullable<PlaceOfItems['edges']>;
  readonly connection?: Connection;
  readonly untold?: NonNullable<PlaceOfItems['untold']>;
}
