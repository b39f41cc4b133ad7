/**
 * The version of this package. The build copies it from package.json, because a bundle has no package.json, or the one
 * of an application.
 */
export const version: string = '0.1.0';
