/**
 * The result that a model gets for a call that has none: an approval or a client tool was ignored,
 * or the run was aborted inside the tool.
 */
export const missingResultText = 'This call was not answered: it has no result.';
