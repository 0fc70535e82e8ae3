/**
 * The callers of a route if access control is configured. `operator`: anyone with the console key,
 * and users, for whom the handler decides how far. `user-or-operator`: users, and without a token
 * anyone with the console key, for whom the handler decides how far.
 */
export type Tier = 'public' | 'console' | 'user' | 'operator' | 'user-or-operator';
