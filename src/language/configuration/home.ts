import type { Schema } from '../codec/schema';

/** Where a distinctive key belongs, and how its value looks. */
export interface Home {
  readonly places: readonly string[];
  readonly schema: Schema;
}

/** The homes of all distinctive keys of the language. */
export type Homes = ReadonlyMap<string, Home>;

/** The name of the place, for messages. */
export const placeText = ({ places }: Home): string => places.join(', or to ');
