/**
 * Families of models that reason, also as gateways and Bedrock name them: `openai/gpt-5`,
 * `us.deepseek.r1-v1:0`. Others, such as the
 * deployments of Azure, are known from their first reply.
 */
const families =
  /(?:^|[/.])(?:o\d+(?:-|$)|gpt-[5-9]|gpt-oss|codex|gemini-(?:2\.5|[3-9])|deepseek[.-]r\d|grok-(?:3-mini|[4-9]|code)|magistral|qwq)/;
const named = /(?:^|[-_:])(?:reasoner|reasoning|thinking)(?:[-_:]|$)/;
const excepted = /non-reasoning|gpt-[^/]*-chat(?:-|$)/;

/** The models that have reported reasoning tokens. */
const seen = new WeakSet<object>();

/** Whether a model reasons, so that a limit of its output also limits its reasoning. */
export function isReasoningModel(model: { readonly modelId: string }): boolean {
  if (seen.has(model)) return true;
  const id = model.modelId.toLowerCase();
  return (families.test(id) || named.test(id)) && !excepted.test(id);
}

/** Remembers a model that has reported reasoning tokens. */
export function rememberReasoning(model: object): void {
  seen.add(model);
}
