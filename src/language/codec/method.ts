/** How a login request is sent (docs/language/requests.md#methods): `FORM` is a POST with a form body. */
export type LoginMethod = 'GET' | 'POST' | 'FORM';

/** How the request of a job is sent: `PUT`, `PATCH` and `DELETE` are extensions (docs/extensions/request-bodies.md). */
export type Method = LoginMethod | 'PUT' | 'PATCH' | 'DELETE';
