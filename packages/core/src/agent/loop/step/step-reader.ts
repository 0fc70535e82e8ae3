import type { Citation, StoredApprovalRules, StoredExpiry } from '@halyard/contracts';
import { promptInput } from '../../../model/call-input.ts';
import { kindsOfResponse } from '../../../model/messages/content.ts';
import { plainOutput } from '../../../model/prompt/tool-output.ts';
import type { AssistantPart, ModelPart, ModelWarning } from '../../../model/providers/model-port.ts';
import { reportedUsage } from '../../../model/providers/reported-usage.ts';
import type { FinishReason, ProviderMetadata, SourceEvent } from '../../agent-event.ts';
import type { ApprovalRequest, UnaskedCall } from '../../approvals/approvals.ts';
import { parseArguments } from '../../tools/parse-arguments.ts';
import type { Usage } from '../../usage.ts';
import type { Emit } from '../run.ts';
import { addMetadata, type Block, type BlockDelta, type BlockEdge, type BlockEnd, type TextPart } from './block.ts';
import { toFinishReason } from './finish-reason.ts';
import { type GeneratedPart, generatedFile } from './generated-file.ts';
import { GrowingText } from './growing-text.ts';
import { asOptions, providerFields } from './part-metadata.ts';
import { ReportedTokens } from './reported-tokens.ts';
import { toSourceEvent } from './source-event.ts';
import type { StepReaderOptions } from './step-reader-options.ts';

/** A tool call as the model wrote it. */
export interface RequestedCall {
  readonly toolCallId: string;
  toolName: string;
  /** JSON text. */
  input: string;
  readonly providerMetadata?: ProviderMetadata;
  /**
   * Set when the call is planned: the approval that was requested, or `false` when the tool decided
   * that it needs none.
   */
  approval?: ApprovalRequest | false;
  /** Set with `approval` if others than the user of the run may respond. */
  rules?: StoredApprovalRules;
  /** How long it waits. Absent: the default. */
  expiry?: StoredExpiry;
  /** Whether the response may be for later calls, too. */
  allowsAlways?: true;
  /** Why a call for which the tool asks runs without a question. */
  unasked?: UnaskedCall;
  /** Set when the app was asked to repair the call. */
  isRepairAsked?: true;
}

/** The provider asks for the approval of a call that it runs. It knows the request by its id. */
export interface ProviderApproval {
  readonly approvalId: string;
  readonly toolCallId: string;
}

/** The outcome of one model call. Plain JSON, so that a journal can store it. */
export interface StepOutcome {
  /** The assistant's message as the next model call receives it. */
  readonly content: AssistantPart[];
  readonly text: string;
  /**
   * Calls of tools that this process or the client runs. Calls that the provider ran are only in
   * `content`.
   */
  readonly calls: readonly RequestedCall[];
  /** Calls that the provider runs after a person has approved them. */
  readonly approvals?: readonly ProviderApproval[];
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The model that replied. */
  readonly modelId: string;
  readonly provider: string;
  /** The provider's id of the response, where it sends one. */
  readonly responseId?: string;
  /** The model as the response names it. */
  readonly responseModelId?: string;
  /** When the response was created, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly rawFinishReason?: string;
  readonly warnings?: readonly ModelWarning[];
  readonly providerMetadata?: ProviderMetadata;
  readonly sources?: readonly SourceEvent[];
  /** The citations of texts, by their index in `content`. */
  readonly citations?: Readonly<Record<number, Citation[]>>;
}

/** Of the model that replied. */
export type RespondingModel = Pick<StepOutcome, 'modelId' | 'provider'>;

/** The provider's report about the response, in one part or several. */
interface ResponseFields {
  readonly id?: string | undefined;
  readonly modelId?: string | undefined;
  readonly timestamp?: Date | undefined;
}

type ModelToolCall = Extract<ModelPart, { type: 'tool-call' }>;

/** Reads the parts of one model call: emits each, and collects the data of the next call. */
export class StepReader {
  readonly tokens: ReportedTokens = new ReportedTokens();
  readonly #options: StepReaderOptions;
  readonly #emit: Emit;
  readonly #content: AssistantPart[] = [];
  readonly #calls: RequestedCall[] = [];
  readonly #approvals: ProviderApproval[] = [];
  #open: Block[] = [];
  readonly #sources: SourceEvent[] = [];
  readonly #citations = new Map<AssistantPart, Citation[]>();
  #finishReason: FinishReason = 'other';
  #hasFinished = false;
  #rawFinishReason: string | undefined;
  #warnings: readonly ModelWarning[] = [];
  #providerMetadata: ProviderMetadata | undefined;
  #response: ResponseFields = {};

  constructor(options: StepReaderOptions) {
    this.#options = options;
    this.#emit = options.emit;
  }

  /**
   * Reads the next part. Returns a promise while the consumer is behind. @throws the error of an
   * `error` part.
   */
  read(part: ModelPart): Promise<void> | undefined {
    switch (part.type) {
      case 'text-delta':
        return this.#textDelta(part);
      case 'reasoning-delta':
        return this.#reasoningDelta(part);
      case 'text-start':
        return this.#startBlock('text', part).emitted;
      case 'reasoning-start':
        return this.#startBlock('reasoning', part).emitted;
      case 'text-end':
        return this.#endBlock('text', part);
      case 'reasoning-end':
        return this.#endBlock('reasoning', part);
      case 'tool-input-start':
        return this.#toolInputStart(part);
      case 'tool-input-delta':
        return this.#emit({ type: 'tool-input-delta', id: part.id, delta: part.delta, ...providerFields(part) });
      case 'tool-input-end':
        return this.#emit({ type: 'tool-input-end', id: part.id, ...providerFields(part) });
      case 'tool-call':
        return this.#toolCall(part);
      case 'tool-result':
        return this.#providerResult(part);
      case 'source':
        return this.#source(toSourceEvent(part));
      case 'file':
      case 'reasoning-file':
        return this.#file(part);
      case 'custom':
        if (kindsOfResponse.has(part.kind)) {
          this.readUsage(part);
          return undefined;
        }
        this.#content.push({ type: 'custom', kind: part.kind, ...asOptions(part) });
        if (this.#options.isProcessed) return undefined;
        return this.#emit({ type: 'custom', kind: part.kind, ...providerFields(part) });
      case 'stream-start':
        this.#warnings = part.warnings;
        if (part.warnings.length > 0) this.#options.onWarnings(part.warnings);
        return undefined;
      case 'finish':
        this.#hasFinished = part.finishReason.unified !== 'interrupted';
        this.#finishReason = toFinishReason(part.finishReason.unified);
        this.#rawFinishReason = part.finishReason.raw;
        this.tokens.report(part.usage);
        this.#providerMetadata = part.providerMetadata;
        return this.#open.length === 0 ? undefined : this.#endOpenBlocks();
      case 'raw':
        return this.#options.rawChunks && !this.#options.isProcessed
          ? this.#emit({ type: 'raw', rawValue: part.rawValue })
          : undefined;
      case 'error':
        throw part.error;
      case 'response-metadata':
        this.#response = {
          id: part.id ?? this.#response.id,
          modelId: part.modelId ?? this.#response.modelId,
          timestamp: part.timestamp ?? this.#response.timestamp,
        };
        return undefined;
      case 'tool-approval-request':
        return this.#approvalRequest(part);
      case 'ping':
        return undefined;
      default:
        part satisfies never;
        return undefined;
    }
  }

  /** Reads the tokens of a part. The last part of a reply has the final count. */
  readUsage(part: ModelPart): void {
    const usage = reportedUsage(part);
    if (usage !== undefined) this.tokens.report(usage);
  }

  /** Whether the model has reported its end. A stream that ends without it was cut off. */
  get hasFinished(): boolean {
    return this.#hasFinished;
  }

  /**
   * @param now milliseconds since the epoch, for a response that does not say when it was created.
   */
  outcome({ modelId, provider }: RespondingModel, now: number): StepOutcome {
    const { id, modelId: responseModelId, timestamp } = this.#response;
    const content = this.#content.filter(
      (part) => part.type !== 'text' || part.text !== '' || part.providerOptions !== undefined,
    );
    return {
      content,
      // While the text grows, a second copy would take memory of each stream that nobody reads.
      text: this.#content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      calls: this.#calls,
      ...(this.#approvals.length > 0 && { approvals: this.#approvals }),
      finishReason: this.#finishReason,
      usage: this.tokens.usage,
      modelId,
      provider,
      ...(id !== undefined && { responseId: id }),
      ...(responseModelId !== undefined && { responseModelId }),
      timestamp: timestamp?.getTime() ?? now,
      ...(this.#rawFinishReason !== undefined && { rawFinishReason: this.#rawFinishReason }),
      ...(this.#warnings.length > 0 && { warnings: this.#warnings }),
      ...(this.#providerMetadata !== undefined && { providerMetadata: this.#providerMetadata }),
      ...(this.#sources.length > 0 && { sources: this.#sources }),
      ...(this.#citations.size > 0 && { citations: this.#citationsIn(content) }),
    };
  }

  #citationsIn(content: readonly AssistantPart[]): Readonly<Record<number, Citation[]>> {
    return Object.fromEntries(
      content.flatMap((part, index) => {
        const citations = this.#citations.get(part);
        return citations === undefined ? [] : [[index, citations]];
      }),
    );
  }

  #textDelta({ delta, id, providerMetadata }: BlockDelta): Promise<void> | undefined {
    const block = this.#findBlock('text', id);
    addMetadata(block, providerMetadata);
    if (delta === '' && providerMetadata === undefined) return undefined;
    block.part.text = block.text.add(delta);
    return this.#emit({ type: 'text-delta', id, delta, ...(providerMetadata && { providerMetadata }) });
  }

  #reasoningDelta({ delta, id, providerMetadata }: BlockDelta): Promise<void> | undefined {
    const block = this.#findBlock('reasoning', id);
    block.part.text = block.text.add(delta);
    addMetadata(block, providerMetadata);
    if (this.#options.isProcessed) return undefined;
    return this.#emit({ type: 'reasoning-delta', id, delta, ...(providerMetadata && { providerMetadata }) });
  }

  #source(event: SourceEvent): Promise<void> | undefined {
    this.#sources.push(event);
    return this.#emit(event);
  }

  /** The block that a delta belongs to. Some providers do not start their blocks. */
  #findBlock(type: TextPart['type'], id: string): Block {
    return this.#find(type, id) ?? this.#startBlock(type, { id }).block;
  }

  #startBlock(
    type: TextPart['type'],
    { id, providerMetadata }: BlockEdge,
  ): { readonly block: Block; readonly emitted: Promise<void> | undefined } {
    const part: TextPart = { type, text: '', ...asOptions({ providerMetadata }) };
    const block: Block = { id, part, text: new GrowingText() };
    const before = this.#find(type, id);
    this.#open = [...this.#open.filter((open) => open !== before), block];
    this.#content.push(block.part);
    return { block, emitted: this.#emitEdge(`${type}-start`, { id, providerMetadata }) };
  }

  #endBlock(type: TextPart['type'], { citations, ...edge }: BlockEnd): Promise<void> | undefined {
    const block = this.#find(type, edge.id);
    if (block === undefined) return undefined;
    this.#open = this.#open.filter((open) => open !== block);
    addMetadata(block, edge.providerMetadata);
    if (citations === undefined) return this.#emitEdge(`${type}-end`, edge);
    this.#citations.set(block.part, citations);
    return this.#emit({ type: 'text-end', id: edge.id, citations, ...providerFields(edge) });
  }

  #find(type: TextPart['type'], id: string): Block | undefined {
    return this.#open.find((block) => block.id === id && block.part.type === type);
  }

  /** Some providers do not end their blocks. */
  async #endOpenBlocks(): Promise<void> {
    for (const { id, part } of this.#open) await this.#endBlock(part.type, { id });
  }

  #emitEdge(type: `${TextPart['type']}-${'start' | 'end'}`, edge: BlockEdge): Promise<void> | undefined {
    if (this.#options.isProcessed && (type === 'reasoning-start' || type === 'reasoning-end')) return undefined;
    return this.#emit({ type, id: edge.id, ...providerFields(edge) });
  }

  #toolInputStart(part: Extract<ModelPart, { type: 'tool-input-start' }>): Promise<void> | undefined {
    const { id, providerExecuted, title, toolName } = part;
    return this.#emit({
      type: 'tool-input-start',
      id,
      toolName,
      ...(title !== undefined && { title }),
      ...this.#options.flagsFor(toolName),
      ...(providerExecuted !== undefined && { providerExecuted }),
      ...providerFields(part),
    });
  }

  #toolCall(part: ModelToolCall): Promise<void> | undefined {
    const { toolCallId, toolName, input } = part;
    if (part.providerExecuted === true) {
      const call = { toolCallId, toolName, input: parseArguments(input), providerExecuted: true };
      this.#content.push({ type: 'tool-call', ...call, ...asOptions(part) });
      return this.#emit({ type: 'tool-call', ...call, ...this.#options.flagsFor(toolName), ...providerFields(part) });
    }
    const call: RequestedCall = { toolCallId, toolName, input, ...providerFields(part) };
    this.#calls.push(call);
    const prompted = promptInput(parseArguments(input));
    this.#content.push({ type: 'tool-call', toolCallId, toolName, input: prompted, ...asOptions(part) });
    return this.#options.onToolCall(call);
  }

  /** The call is emitted again, with the id of the request. */
  #approvalRequest({ approvalId, toolCallId }: ProviderApproval): Promise<void> | undefined {
    const call = this.#content.findLast((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
    if (call?.type !== 'tool-call') return undefined;
    this.#approvals.push({ approvalId, toolCallId });
    const { input, providerOptions, toolName } = call;
    return this.#emit({
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      providerExecuted: true,
      ...this.#options.flagsFor(toolName),
      ...providerFields({ providerMetadata: providerOptions }),
      approvalId,
    });
  }

  #providerResult(part: Extract<ModelPart, { type: 'tool-result' }>): Promise<void> | undefined {
    const { toolCallId, toolName, result } = part;
    const input = this.#readInput(toolCallId);
    const { dynamic } = this.#options.flagsFor(toolName);
    const fields = {
      toolCallId,
      toolName,
      input,
      providerExecuted: true,
      ...(dynamic && { dynamic }),
      ...providerFields(part),
    };
    if (part.preliminary === true)
      return this.#emit({ type: 'tool-result', output: result, preliminary: true, ...fields });
    this.#content.push({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: part.isError === true ? { type: 'error-json', value: result } : plainOutput(result),
      ...asOptions(part),
    });
    // The provider reads its error again in later turns.
    if (part.isError === true)
      return this.#emit({
        type: 'tool-error',
        error: typeof result === 'string' ? result : JSON.stringify(result),
        ...fields,
      });
    return this.#emit({ type: 'tool-result', output: result, ...fields });
  }

  #readInput(toolCallId: string): unknown {
    const call = this.#content.find((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
    return call?.type === 'tool-call' ? call.input : this.#options.inputOf(toolCallId);
  }

  #file(part: GeneratedPart): Promise<void> | undefined {
    const file = generatedFile(part);
    this.#content.push(file.content);
    // Processors cannot check reasoning.
    return part.type === 'reasoning-file' && this.#options.isProcessed ? undefined : this.#emit(file.event);
  }
}
