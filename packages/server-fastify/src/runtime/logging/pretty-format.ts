type Format = (line: string) => string;

export interface PrettyFormatOptions {
  /** The field with the message. Default: `msg`. */
  readonly messageKey?: string | undefined;
  readonly colorize?: boolean | undefined;
}

/**
 * The format of pino-pretty, if the app has installed it.
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
    return (line) => format(withoutControls(line));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
