import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../testing/generation.ts';
import type { ApiDocument } from '../../testing/reply-check.ts';
import { serve } from '../../testing/serve.ts';
import { vagueSchemas } from '../../testing/vague-schemas.ts';
import { workflows } from '../../testing/workflows.ts';

let document: ApiDocument;
beforeAll(async () => {
  const { close, origin } = await serve([], { agents, workflows, enableSwaggerUI: true });
  document = (await (await fetch(`${origin}/doc`)).json()) as ApiDocument;
  await close();
});

describe('the served document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  });

  it('has a type for every part of a reply, except where any JSON is documented', () => {
    const vague = vagueSchemas(document);
    expect(vague.filter(({ description }) => description === undefined)).toEqual([]);
    // Operations of one workflow or tool contain copies of the same schemas.
    const places = new Set(vague.map(({ at }) => at.replace(/^(?:workflow|tool)\.\w+\./, '')));
    expect([...places].toSorted()).toEqual([
      'AgentDefinition.settings[].value',
      'AgentEvent(raw).rawValue',
      'AgentEvent(tool-call).input',
      'AgentEvent(tool-error).input',
      'AgentEvent(tool-result).input',
      'AgentEvent(tool-result).output',
      'AgentHistoryEntry.input',
      'AgentHistoryEntry.output',
      'AgentSummary.memory.config',
      'AgentSummary.settings.generation',
      'AgentSummary.subAgents[].memory.config',
      'Approval.data',
      'Approval.input',
      'Approval.resumeSchema',
      'AuditRecord.detail',
      'BulkFilter.metadata',
      'Catalog.tools[].inputSchema',
      'Catalog.workflows[].inputSchema',
      'Catalog.workflows[].resumeSchema',
      'Citation',
      'Conversation.metadata',
      'ExecutionRecord.input',
      'ExecutionRecord.metadata',
      'ExecutionRecord.output',
      'ExecutionRecord.workflowState',
      'ExecutionRecordEvent.input',
      'ExecutionRecordEvent.output',
      'ExecutionState.context',
      'ExecutionState.input',
      'ExecutionState.metadata',
      'ExecutionState.output',
      'ExecutionState.workflowState',
      'LogRecord.attributes',
      'McpToolSummary.inputSchema',
      'McpToolSummary.outputSchema',
      'ObjectEvent(object).object',
      'ObjectEvent(partial).object',
      'PendingSuspension.suspendData',
      'ProviderData.*',
      'ProviderMetadata.*',
      'RunResult.result',
      'Span.attributes',
      'Span.events[].attributes',
      'Span.links[].attributes',
      'Span.resource',
      'SpanNode.attributes',
      'SpanNode.events[].attributes',
      'SpanNode.links[].attributes',
      'SpanNode.resource',
      'StoredMessage.metadata',
      'SuspensionReport.suspendData',
      'SystemReport.limits',
      'ToolApproval.descriptor',
      'ToolApproval.input',
      'ToolApproval.inputSchemaInput',
      'ToolCall.input',
      'ToolExecution.result',
      'ToolResult.input',
      'ToolResult.output',
      'ToolSummary.inputSchema',
      'ToolSummary.outputSchema',
      'UiMessageChunk(finish).messageMetadata',
      'UiMessageChunk(start).messageMetadata',
      'UiMessageChunk(tool-input-available).input',
      'UiMessageChunk(tool-input-error).input',
      'UiMessageChunk(tool-output-available).output',
      'UiMessageChunk.data',
      'UiMessagePart(dynamic-tool).input',
      'UiMessagePart(dynamic-tool).output',
      'UiMessagePart(dynamic-tool).rawInput',
      'UiMessagePart(dynamic-tool).toolMetadata',
      'UiMessagePart.data',
      'UiMessagePart.input',
      'UiMessagePart.output',
      'UiMessagePart.rawInput',
      'UiMessagePart.toolMetadata',
      'UserRecord(conversation).workingMemory',
      'UserRecord(execution).events[]',
      'UserRecord(execution).execution',
      'UserRecord(working-memory).content',
      'WaitingStep.resumeSchema',
      'WaitingStep.suspendData',
      'WorkflowDetail.inputSchema',
      'WorkflowDetail.resultSchema',
      'WorkflowDetail.resumeSchema',
      'WorkflowDetail.suspendSchema',
      'WorkflowEvent(step-complete).output',
      'WorkflowEvent(step-start).input',
      'WorkflowEvent(workflow-complete).output',
      'WorkflowEvent(workflow-result).result',
      'WorkflowEvent(workflow-start).input',
      'WorkflowStep.inputSchema',
      'WorkflowStep.outputSchema',
      'WorkflowStep.resumeSchema',
      'WorkflowStep.suspendSchema',
      'WorkingMemory.content',
      'WorkingMemory.schema',
      'generateObject.data',
      'getApiDocument.components',
      'getApiDocument.paths',
    ]);
  });
});
