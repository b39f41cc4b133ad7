/** The types of authentication of the language, one line each. */
export { apiKey } from './api-key';
export { basic } from './basic';
export { bearer } from './bearer';
export { digest } from './digest';
export { jwt } from './jwt';
export { login } from './login';
export { oauth10 } from './oauth10';
export { oauth2 } from './oauth2';
export { oauth20 } from './oauth20';
export { oauth20Login } from './oauth20';
export { query } from './query';
export { session } from './session';
export { signature } from './signature';
