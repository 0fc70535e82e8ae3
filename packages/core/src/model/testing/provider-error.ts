/**
 * An error as the AI SDK's providers throw it: with the request, which contains the conversation.
 */
export function providerError(message: string, statusCode: number, request: object): Error {
  return Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, requestBodyValues: request });
}
