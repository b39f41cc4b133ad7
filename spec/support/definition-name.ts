import type { Schema } from '../../src/language/codec/schema';

/** The name of the definition that a schema refers to. */
export const definitionName = ({ $ref }: Schema): string | undefined => $ref?.replace('#/$defs/', '');
