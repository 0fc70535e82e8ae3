/** The words of a text in lower case; `getWeather`, `get_weather` and `get weather` give the same ones. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  return (
    spaced
      .toLowerCase()
      .replaceAll(/['’]s\b/gu, '')
      .match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? []
  );
}

/** The stem of a word: the same for `calculates`, `calculator` and `calculation`. */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const made = cut(word);
  if (stems.size < 10_000) stems.set(word, made);
  return made;
}

/** The stems of the significant words. */
export function stemsOf(text: string): ReadonlySet<string> {
  return new Set(
    wordsOf(text)
      .filter((word) => !stopWords.has(word))
      .map(stem),
  );
}

/** Whether a word is insignificant for the subject. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/** Synonyms of a stem. The list only covers typical requests to the tools of the examples. */
export function synonymsOf(stemmed: string): readonly string[] {
  return synonyms.get(stemmed) ?? [];
}

const stems = new Map<string, string>();

const endings = [
  'ations',
  'ation',
  'ators',
  'ator',
  'ating',
  'ated',
  'ates',
  'ate',
  'ments',
  'ment',
  'ings',
  'ing',
  'ions',
  'ion',
  'ers',
  'ed',
  'er',
  'es',
  'ly',
  's',
  'e',
];

function cut(word: string): string {
  if (/^\d/u.test(word) || word.length < 4) return word;
  const singular = word.endsWith('ies') ? `${word.slice(0, -3)}y` : word;
  for (const ending of endings) {
    if (singular.endsWith(ending) && singular.length - ending.length >= 4 && !singular.endsWith('ss')) {
      return soften(singular.slice(0, -ending.length));
    }
  }
  return soften(singular.endsWith('s') && !singular.endsWith('ss') ? singular.slice(0, -1) : singular);
}

function soften(rest: string): string {
  const single = /([bdgmnprt])\1$/u.test(rest) ? rest.slice(0, -1) : rest;
  return single.endsWith('y')
    ? `${single.slice(0, -1)}i`
    : single.endsWith('e') && single.length > 3
      ? single.slice(0, -1)
      : single;
}

const stopWords: ReadonlySet<string> = new Set(
  `a an the this that these those it its he she they them his her their there here i i'm i'd i'll i've me my mine we us our you your yours
  am is are was were be been being do does did done don't doesn't didn't have has had will would shall should can can't could may might must
  what what's who who's whom which when where why how of to in on at by for from with without into onto about as and or but if then than so not no yes nope
  yeah ok okay please thanks thank hi hello hey good morning evening well just very too also now let let's want like need know say tell give show make get use
  using any some all each every one such other another more most only own same up down out over under again both few many much hey there dear sorry sure great
  nice fine bye goodbye am pm e g i.e etc given via per s t d ll re ve m`.split(/\s+/u),
);

const groups = [
  'weather forecast temperature rain raining sunny umbrella snow cold warm hot',
  'calculate compute calculator math sum plus minus add multiply subtract divide divided multiplied arithmetic',
  'search find lookup look',
  'email mail',
  'buy purchase order',
  'book reserve reservation booking',
  'price cost expensive cheap',
  'delete remove',
  'create add new',
  'car vehicle',
  'remind reminder remember',
  'time clock hour',
  'trip travel flight fly',
  'message text sms',
  'money pay payment refund transfer',
  'roll dice die',
  'meeting appointment event calendar schedule',
];

const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  groups
    .flatMap((group) => {
      const members = group.split(' ').map(stem);
      return members.map((member) => [member, members.filter((other) => other !== member)] as const);
    })
    .reduce(
      (merged, [member, others]) => merged.set(member, [...(merged.get(member) ?? []), ...others]),
      new Map<string, readonly string[]>(),
    ),
);
