import { UnexpectedAnswerError } from './errors.ts';

/** The body of an answer. @throws UnexpectedAnswerError where it is empty */
export function received<Body>(body: Body | undefined): Body {
  if (body === undefined) throw new UnexpectedAnswerError(200, '');
  return body;
}
