import { NotJsonError, toJson } from '../../json/to-json.ts';
import type { MetadataPart } from '../message-metadata.ts';
import type { Run } from './run.ts';

/**
 * The agent's addition to the metadata of the message at the start or the end of its run, as a
 * field of the event; no field where it adds nothing. A run without a reader and without a
 * conversation has no message. An error of the app is logged, and the run continues.
 */
export function messageMetadata(
  { conversation, dependencies, identity, output }: Run,
  part: MetadataPart,
): { readonly messageMetadata?: unknown } {
  const { agent, logger } = dependencies;
  const { context, conversationId, isDelegated, user, userId } = identity;
  const { writer } = conversation;
  const isRead = writer !== undefined || output.isStreaming();
  if (agent.messageMetadata === undefined || isDelegated || !isRead) return {};
  try {
    const request = { part, metadata: writer?.metadata, context, conversationId, user, userId };
    const added = toJson(agent.messageMetadata(request));
    return added === null ? {} : { messageMetadata: added };
  } catch (error) {
    const message = error instanceof NotJsonError ? `contains ${error.message}, which is not JSON` : 'threw';
    logger.warn({ err: error, part: part.type }, `messageMetadata ${message}: nothing was added`);
    return {};
  }
}
