import { InvalidInputError, isHalyardError, NotFoundError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { noticeHeaders } from '../../../../http/pages/notice-page.ts';
import { answerEntry } from '../../../../runtime/audit/audited-approvals.ts';
import type { AnswerLink } from '../../../../runtime/services/answer-links.ts';
import { definePage, type PageReply } from '../../../define/define-page.ts';
import type { Services } from '../../../services.ts';
import { answerApproval, type ApprovalResponseRequest } from '../approvals.ts';
import {
  countedPage,
  failedPage,
  isShownWhole,
  reasonCharacters,
  requestPage,
  settledPage,
  unknownPage,
} from './answer-page.ts';
import { readArguments } from './argument-fields.ts';
import { type LinkedState, readLinked, recipientCaller, type WaitingRequest } from './linked-request.ts';

export const answerLinkUrl = '/approvals/link';

/** The signature of the link is the credential. */
const common = { tier: 'public', tag: 'Approvals', url: answerLinkUrl } as const;
const { 'content-type': contentType, ...headers } = noticeHeaders;
const alternatives = {
  404: 'The link is not valid, or its request does not wait',
  500: 'The storage does not respond',
};
// Whatever a client sends, a person reads the reply.
const token = Type.Optional(Type.Unknown({ description: 'The token of the link.' }));

export const answerLinkPages = [
  definePage({
    ...common,
    method: 'GET',
    operationId: 'openAnswerLink',
    summary: 'Show the request of an answer link to its recipient',
    description:
      'Changes nothing, so programs that open links answer nothing. `server.approvals.link` makes the links.',
    query: Type.Object({ token }),
    contentType,
    headers,
    content: Type.String(),
    alternatives,
    handler: async ({ caller: { address }, forwarded, query }, services) =>
      withPages(services, async () => {
        const link = readLink(query.token, services);
        if (link === undefined) return unknown();
        const state = await readLinked(link, services, recipientCaller(link, address));
        return toPage(state, link, { services, action: actionFor(services, forwarded) });
      }),
  }),
  definePage({
    ...common,
    method: 'POST',
    operationId: 'useAnswerLink',
    summary: 'Answer the request of an answer link',
    description: 'Accepts the form of the page. A request accepts one answer.',
    accepts: 'form',
    body: Type.Object({
      token,
      form: Type.Optional(Type.Unknown({ description: 'Proves that the page has shown the request.' })),
      decision: Type.Optional(Type.Unknown({ description: '`approve` or `decline`.' })),
      reason: Type.Optional(Type.Unknown({ description: 'Why; the model reads it.' })),
    }),
    contentType,
    headers,
    content: Type.String(),
    alternatives: { ...alternatives, 422: 'The answer is not valid', 409: 'Another answer was accepted before' },
    handler: async ({ body, caller: { address }, forwarded, signal, traceParent }, services) =>
      withPages(services, async () => {
        const link = readLink(body.token, services);
        if (link === undefined) return unknown();
        const request = { caller: recipientCaller(link, address), signal, traceParent };
        return acceptAnswer(body, link, request, { services, action: actionFor(services, forwarded) });
      }),
  }),
];

/** A link with its token. */
type OpenedLink = AnswerLink & { readonly token: string };

interface PageDependencies {
  readonly services: Services;
  /** Where the form is sent. */
  readonly action: string;
}

interface SentAnswer {
  readonly form?: unknown;
  readonly decision?: unknown;
  readonly reason?: unknown;
  /** Those of the arguments, too. */
  readonly [field: string]: unknown;
}

async function acceptAnswer(
  fields: SentAnswer,
  link: OpenedLink,
  request: ApprovalResponseRequest,
  page: PageDependencies,
): Promise<PageReply> {
  const { services } = page;
  const { decision, form, reason: sent = '' } = fields;
  const before = await readLinked(link, services, request.caller);
  if (before.state !== 'waiting') return toPage(before, link, { ...page, isAnswer: true });
  const { address, approval, key } = before.request;
  const again = (problem: string, status: 409 | 422 = 422): PageReply => ({
    status,
    code: status === 409 ? 'APPROVAL_NOT_ACCEPTED' : 'INVALID_INPUT',
    body: requestForm(before.request, link, { ...page, problem, sent: fields }),
  });
  if (typeof form !== 'string' || !services.answerLinks.isForm(form, link.token, key))
    return again('The request has changed since you opened it. Please read it again.', 409);
  if (decision !== 'approve' && decision !== 'decline') return again('Please approve or decline.');
  // The page says so.
  if (decision === 'approve' && !isShownWhole(approval)) return again('Please decline, or approve it in the app.');
  const reason = typeof sent === 'string' ? sent.replaceAll('\r\n', '\n').trim() : '';
  if (reason.length > reasonCharacters) return again(`Please give a reason of at most ${reasonCharacters} characters.`);
  const { input, problem } = decision === 'approve' ? readArguments(approval, fields) : {};
  if (problem !== undefined) return again(problem);
  const given = { approved: decision === 'approve', ...(reason !== '' && { reason }) };
  const answer = { ...given, ...(input !== undefined && { input }) };
  try {
    const responses = approval.kind === 'tool' ? answer : { resumeData: answer };
    await services.audit.record(
      answerEntry({ ...address, ...answer }),
      request.caller,
      () => answerApproval({ ...address, ...responses }, request, services),
      'link',
    );
  } catch (error) {
    const wantsOther = error instanceof InvalidInputError && error.code !== 'APPROVAL_NOT_ACCEPTED';
    // The schema of the tool says so, and contains no secret, as below that of the step.
    if (wantsOther && input !== undefined)
      return again(`These arguments are not accepted: ${error.message.replaceAll('body/input/', '')}.`);
    if (isHalyardError(error) && error.code === 'OPERATION_NOT_ALLOWED')
      return again('Somebody else must approve these arguments.');
    if (wantsOther)
      return again(`This request cannot be answered here: ${error.message}. Please answer it in the app.`);
    // Another answer was accepted at the same time.
    if (!(error instanceof NotFoundError || error instanceof InvalidInputError)) throw error;
    return toPage(await readLinked(link, services, request.caller), link, { ...page, isAnswer: true });
  }
  return toPage(await readLinked(link, services, request.caller), link, page);
}

function toPage(
  state: LinkedState,
  link: OpenedLink,
  { isAnswer = false, ...page }: PageDependencies & { readonly isAnswer?: boolean },
): PageReply {
  switch (state.state) {
    case 'waiting':
      return { body: requestForm(state.request, link, page) };
    case 'counted':
      return { body: countedPage(state.decided, state.quorum) };
    case 'settled': {
      const isLate = isAnswer && state.decision.userId !== link.to.id;
      const body = settledPage(state.decision, link.to.id, { isLate });
      return isLate ? { status: 409, code: 'APPROVAL_NOT_ACCEPTED', body } : { body };
    }
    case 'unknown':
      return unknown();
    default:
      return state satisfies never;
  }
}

function unknown(): PageReply {
  return { status: 404, code: 'APPROVAL_NOT_FOUND', body: unknownPage() };
}

function requestForm(
  { approval, key }: WaitingRequest,
  { to, token: linkToken }: OpenedLink,
  { action, problem, sent, services }: PageDependencies & { readonly problem?: string; readonly sent?: SentAnswer },
): string {
  const form = services.answerLinks.issueForm(linkToken, key);
  return requestPage(approval, { action, token: linkToken, form, recipient: to.id, problem, sent });
}

function readLink(value: unknown, { answerLinks }: Pick<Services, 'answerLinks'>): OpenedLink | undefined {
  const link = typeof value === 'string' ? answerLinks.read(value) : undefined;
  return link && typeof value === 'string' ? { ...link, token: value } : undefined;
}

function actionFor({ site }: Pick<Services, 'site'>, forwarded: Parameters<Services['site']['addressFor']>[0]): string {
  return `${site.addressFor(forwarded).base}${answerLinkUrl}`;
}

/** A person reads also that the storage is down. */
async function withPages(
  { agentServices: { logger } }: Pick<Services, 'agentServices'>,
  work: () => Promise<PageReply>,
): Promise<PageReply> {
  try {
    return await work();
  } catch (error) {
    logger.error({ err: error }, 'the page of an answer link failed');
    return { status: 500, code: 'INTERNAL', body: failedPage() };
  }
}
