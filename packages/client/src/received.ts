import { UnexpectedReplyError } from './errors.ts';

/** The body of a reply. @throws UnexpectedReplyError where it is empty */
export function received<Body>(body: Body | undefined): Body {
  if (body === undefined) throw new UnexpectedReplyError(200, '');
  return body;
}
