import { apiCount, describeCutAnswers } from './describe-cut-answers.ts';

// Each answer with each cut, each API with each answer, and each API with each cut.
// `cut-answers.full.ts` tries each API with all of them.
describeCutAnswers((api, answer, cut) => (answer + cut) % apiCount === api);
