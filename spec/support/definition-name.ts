import type { Schema } from '../../src/codec/schema';

/** The name of the definition that a schema refers to. */
export const definitionName = ({ $ref }: Schema): string | undefined => $ref?.replace('#/$defs/', '');
