import { describeCutAnswers } from './describe-cut-answers.ts';

describeCutAnswers();
