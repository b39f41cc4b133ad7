/** How a login request is sent (specification 4.1, language 3.1): `FORM` is a POST with a form body. */
export type LoginMethod = 'GET' | 'POST' | 'FORM';

/** How the request of a job is sent: `PUT`, `PATCH` and `DELETE` are extensions (docs/extensions/request-bodies.md). */
export type Method = LoginMethod | 'PUT' | 'PATCH' | 'DELETE';
