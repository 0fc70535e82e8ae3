/** The answer from earlier messages or notes in the instructions; undefined if the message does not ask for one. */
export function recall(message: string, earlier: readonly string[], system: string): string | undefined {
  if (
    /\bwhat did i (?:just )?(?:say|ask|tell you)|\bwhat was my (?:last|previous) (?:message|question)/iu.test(message)
  ) {
    const last = earlier.at(-1);
    return last === undefined ? 'You have not said anything before that.' : `You said: "${shortened(last)}".`;
  }
  const thing = askedFor(message);
  if (thing === undefined) return undefined;
  const value = factsIn(earlier).get(thing) ?? noted(thing, system);
  return value === undefined ? `You have not told me your ${thing}.` : `Your ${thing} is ${value}.`;
}

/** Whether the message asks for something from earlier messages. */
export function isRemembered(message: string, earlier: readonly string[], system: string): boolean {
  const thing = askedFor(message);
  return thing !== undefined && (factsIn(earlier).has(thing) || noted(thing, system) !== undefined);
}

/** The facts in a message about its sender: `my name is Ada`, `I live in Rome`. Keys are in lower case. */
export function factsIn(messages: readonly string[]): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const message of messages) {
    for (const match of message
      .slice(0, 4000)
      .matchAll(/\bmy ([\p{L}][\p{L} ]{0,29}?) (?:is|are|=) (?!(?:not|what)\b)([^.,;!?\n]{1,80})/giu)) {
      facts.set((match[1] ?? '').toLowerCase(), cut(match[2] ?? ''));
    }
    const name =
      /\b(?:call me|i(?:'m| am) called) (\p{L}[\p{L}'-]*)|\b(?:I'm|I am|i'm) (\p{Lu}[\p{L}'-]+)\b(?! \p{Ll}+ing)/u.exec(
        message,
      );
    if (name !== null) facts.set('name', name[1] ?? name[2] ?? '');
    const home = /\bi live in ([^.,;!?\n]{1,60})/iu.exec(message)?.[1];
    if (home !== undefined) facts.set('home', cut(home));
  }
  return facts;
}

function askedFor(message: string): string | undefined {
  if (/\bwho am i\b/iu.test(message)) return 'name';
  if (/\bwhere do i live\b/iu.test(message)) return 'home';
  const asked =
    /\b(?:what(?:'s| is| was| are)|do you (?:still )?(?:know|remember)|tell me|remind me what) my ([\p{L}][\p{L} ]{0,29}?)(?: is| again)?\s*[?.!]*$/iu.exec(
      message,
    );
  return asked?.[1]?.toLowerCase();
}

/** A line such as `name: Ada` in the instructions, the format of working memory. */
function noted(thing: string, system: string): string | undefined {
  const pattern = new RegExp(`(?:^|\\n)[\\s*"_-]*${thing}[*"_]*\\s*:[ \\t*"_]*([^\\n",*]{1,80})`, 'iu');
  return pattern.exec(system)?.[1]?.trim();
}

function cut(text: string): string {
  return text.split(/\s+(?:and|but|so|because|please)\s+/iu)[0]?.trim() ?? '';
}

/** The text, shortened for use in a sentence. */
export function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
