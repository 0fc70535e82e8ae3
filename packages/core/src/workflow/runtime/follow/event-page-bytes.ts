/** How large the events are, in bytes, that are read from the store at a time. A single larger one is read, too. */
export const eventPageBytes: number = 4 * 1024 * 1024;
