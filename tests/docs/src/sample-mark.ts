/** Separates the samples of one process in its standard error. */
export const sampleMark = '\0';
