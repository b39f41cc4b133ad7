/** The version of this package. The build writes it as package.json has it: a bundle has no package.json, or that of an application. */
export const version: string = '0.1.0';
