import { describeCutReplies } from './describe-cut-replies.ts';

describeCutReplies();
