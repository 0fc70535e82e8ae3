import { apiCount, describeCutReplies } from './describe-cut-replies.ts';

// Each reply with each cut, each API with each reply, and each API with each cut.
// `cut-replies.full.ts` tries each API with all of them.
describeCutReplies((api, reply, cut) => (reply + cut) % apiCount === api);
