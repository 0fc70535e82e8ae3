/**
 * What a model gets as the result of a call that has none: an approval or a client tool was
 * ignored, or the run was aborted inside the tool.
 */
export const notAnsweredText = 'This call was not answered: it has no result.';
