/** Sentences that a user might have written to an agent, four for each topic. */
export const corpus = {
  cooking: [
    'My grandmother bakes sourdough bread every Sunday.',
    'Add garlic and olive oil to the tomato sauce.',
    'The soup needs more salt and a little pepper.',
    'We roasted a chicken with potatoes and rosemary.',
  ],
  pets: [
    'Our cat sleeps on the windowsill all afternoon.',
    'The puppy chewed my slippers again.',
    'I take the dog to the veterinarian in spring.',
    'Her parrot whistles when the kettle boils.',
  ],
  travel: [
    'We flew to Lisbon and stayed in a small hotel.',
    'The train to Vienna was delayed by two hours.',
    'I lost my passport at the airport in Madrid.',
    'Next summer we want to hike in the Alps.',
  ],
  health: [
    'The doctor prescribed antibiotics for the infection.',
    'I have had a headache and a fever since yesterday.',
    'He broke his ankle and needs surgery.',
    'She is allergic to penicillin.',
  ],
  money: [
    'The bank raised the interest on our mortgage.',
    'I pay my taxes in quarterly installments.',
    'Her salary goes into a savings account.',
    'They invested in stocks and government bonds.',
  ],
  music: [
    'He plays the violin in a chamber orchestra.',
    'The band recorded their second album in Berlin.',
    'She sings jazz in a small club on Fridays.',
    'I am learning a Chopin waltz on the piano.',
  ],
  weather: [
    'It rained all night and the streets are flooded.',
    'Snow is expected in the mountains tomorrow.',
    'A thunderstorm knocked down the old oak.',
    'The wind was cold and the sky was grey.',
  ],
  computers: [
    'The server crashes when the database is full.',
    'I reinstalled the operating system on my laptop.',
    'The software has a bug in the login screen.',
    'Please encrypt the files before you upload them.',
  ],
  sport: [
    'Our goalkeeper saved two penalties in the final.',
    'She won the marathon in under three hours.',
    'The tennis match was decided in the fifth set.',
    'He trains for swimming races before breakfast.',
  ],
  school: [
    'The students failed the algebra exam.',
    'My daughter writes an essay about Shakespeare.',
    'The professor teaches chemistry at the university.',
    'Homework takes the children two hours each evening.',
  ],
} as const satisfies Record<string, readonly [string, string, string, string]>;

export type Topic = keyof typeof corpus;
