export const ada = { user: 'ada' } as const;
export const ben = { user: 'ben' } as const;
