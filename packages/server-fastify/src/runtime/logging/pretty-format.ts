/** The message of the line that is logged for each request. */
export const requestAnswered = 'request answered';

type Format = (line: string) => string;

export interface PrettyFormatOptions {
  /** The field with the message. Default: `msg`. */
  readonly messageKey?: string | undefined;
  readonly colorize?: boolean | undefined;
}

/**
 * The format of pino-pretty, if the app has installed it. An answered request is one line, and the
 * reads of a client that names itself, such as the console, are not shown.
 *
 * The log contains texts of users. They must not send commands to the terminal, and their lines
 * must not look like lines of the log. pino-pretty prints line feeds of messages, and control
 * characters above U+007F in nested values, as they are.
 */
export async function findPrettyFormat({ messageKey = 'msg', colorize = true }: PrettyFormatOptions = {}): Promise<
  Format | undefined
> {
  try {
    const { prettyFactory } = await import('pino-pretty');
    const format = prettyFactory({
      colorize,
      ignore: 'pid,hostname',
      messageKey,
      messageFormat: ({ [messageKey]: message }) =>
        typeof message === 'string' ? withoutControls(message).replaceAll('\n', '\n    ') : '',
    });
    return (line) => {
      const request = findRequest(line, messageKey);
      if (request?.client !== undefined) return '';
      return format(withoutControls(request === undefined ? line : JSON.stringify(toShortLine(request, messageKey))));
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of the line of an answered request; undefined for other lines and for failures. */
function findRequest(line: string, messageKey: string): Fields | undefined {
  // Other lines are not parsed.
  if (!line.includes(requestAnswered)) return undefined;
  const fields = JSON.parse(line) as Fields;
  return fields[messageKey] === requestAnswered && fields['err'] === undefined ? fields : undefined;
}

function toShortLine(fields: Fields, messageKey: string): Fields {
  const { agentId, durationMs, executionId, level, method, status, time, url, userId, workflowId } = fields;
  const about = Object.entries({ agent: agentId, workflow: workflowId, execution: executionId, user: userId });
  const named = about.flatMap(([name, id]) => (typeof id === 'string' ? [`${name}=${id}`] : []));
  const message = [method, url, status, `${Math.round(Number(durationMs))} ms`, ...named].join(' ');
  return { level, time, [messageKey]: message };
}

function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
