import { HalyardError, InvalidInputError, type SpanRecord, spanKinds, spanStatusCodes } from '@halyard/contracts';
import { actorForCaller, ownerForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { IdParams } from '../common-schemas.ts';
import { accessMemory, onConversation } from '../memory/memory-access.ts';
import { readTelemetry } from '../observability/observability.ts';
import { Feedback, FeedbackRequest } from './feedback-schemas.ts';
import { feedbackId } from './find-feedback.ts';
import { findRunOfReply } from './find-run-of-reply.ts';

export const feedbackRoutes = [
  defineRoute({
    method: 'POST',
    url: '/agents/:id/feedback',
    tier: 'user',
    operationId: 'giveFeedback',
    tag: 'Agents',
    summary: 'Rate a reply of a conversation',
    description:
      'Each user has one rating of a reply: a later one replaces it, and null withdraws it. It is stored in the trace of the reply, and is exported and deleted with it.',
    params: IdParams,
    body: FeedbackRequest,
    failures: [403, 404],
    data: Feedback,
    handler: async (call, services) => {
      const { body, caller, params } = call;
      const { conversationId, messageId, rating, userId } = body;
      const access = accessMemory(caller, [{ agentId: params.id, userId }], services);
      const { conversation, message } = await onConversation(access, conversationId, async (owner) => ({
        conversation: await access.memory.get(owner, conversationId),
        message: await access.memory.message(owner, conversationId, messageId),
      }));
      if (message.role !== 'assistant') throw new InvalidInputError('body/messageId must be the id of a reply');

      const { clock, recorder } = services.agentServices;
      const sent = rating === null ? undefined : body.note?.trim();
      const note = recorder?.recordsContent === true && sent !== '' ? sent : undefined;
      if (note === undefined && sent !== undefined && sent !== '')
        call.warn('The note was not stored: this server records no texts');
      const given = { rating, note: note ?? null };

      const user = actorForCaller(caller) ?? userId;
      const spanId = feedbackId(conversationId, messageId, user);
      const owner = ownerForCaller(caller);
      const store = await readTelemetry(services);
      const before = await store?.findSpan(owner, spanId);
      if (before === undefined && rating === null) return given;
      const { anonymousUserId } = services.agentServices;
      const reply = {
        agentId: params.id,
        message,
        userId: conversation.userId === anonymousUserId ? undefined : conversation.userId,
      };
      const maxBytes = services.limits.pageBytes;
      const run = before === undefined && store ? await findRunOfReply(store, owner, reply, maxBytes) : undefined;
      const place = before ?? (run && { ...run, parentSpanId: run.spanId });
      if (store === undefined || place === undefined)
        throw new HalyardError('not-found', 'TRACE_NOT_FOUND', `No trace is recorded of the reply ${messageId}`);
      const attributes = {
        'entity.type': 'feedback',
        'entity.id': rating ?? 'none',
        'gen_ai.conversation.id': conversationId,
        'halyard.message.id': messageId,
        ...(user !== undefined && { 'user.id': user }),
        ...(note !== undefined && { 'halyard.feedback.note': note }),
      };
      const span = { ...toSpan(place, spanId), attributes, events: [{ name: 'rated', time: clock.now() }] };
      await store.write({ spans: [span], logs: [] });
      return given;
    },
  }),
];

/**
 * At the start of the run, whenever it is given: so it does not make the trace longer, and its time
 * and place never change.
 */
function toSpan(
  { instrumentationScope, parentSpanId, resource, startTime, traceId }: SpanRecord,
  spanId: string,
): Omit<SpanRecord, 'attributes' | 'events'> {
  return {
    traceId,
    spanId,
    parentSpanId,
    isEntry: false,
    name: 'feedback',
    kind: spanKinds.internal,
    startTime,
    endTime: startTime,
    status: { code: spanStatusCodes.unset },
    links: [],
    resource,
    instrumentationScope,
  };
}
