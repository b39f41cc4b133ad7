/** How a request is sent (language 3.1): `FORM` is a POST with a form body. */
export type Method = 'GET' | 'POST' | 'FORM';
