import type { PromptMessage } from '../providers/model-port.ts';

/**
 * Notes that a model took: a summary of older messages, or working memory. As a system message, a
 * user's words in the conversation would become an instruction. Notes that change from turn to turn
 * come behind the history, so that providers can still cache the prompt before them.
 *
 * @param heading explains the notes to the model.
 */
export function notesPrompt(heading: string, notes: string): PromptMessage {
  return {
    role: 'user',
    content: [{ type: 'text', text: `${heading}\n\n${notes}` }],
    // Marks the message for windows, which keep it. Providers read options of their own name only.
    providerOptions: { halyard: { notes: true } },
  };
}

export function isNotesPrompt({ providerOptions, role }: PromptMessage): boolean {
  return role === 'user' && providerOptions?.halyard?.['notes'] === true;
}
