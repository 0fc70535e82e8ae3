/** The pages have no sign-in, so everything belongs to one user. */
export const userId = 'demo';
