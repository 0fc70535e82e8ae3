/**
 * Whose data an operation may access. Stores use it in their queries, so that data of other users
 * is never read.
 *
 * `'anyone'` gives access to all data: for a console, or a server without users. Callers always
 * write it out; there is no default.
 */
export type Owner = { readonly user: string } | 'anyone';
