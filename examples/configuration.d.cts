export function configurationAt(origin: string, name: string): unknown;
