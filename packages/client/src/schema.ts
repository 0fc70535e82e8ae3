// Generated from `/doc`: see tests/client/src/schema.test.ts.
export interface paths {
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List agents */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an agent */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the agents, workflows and tools that a user may call
         * @description For apps that let their users choose. Agents, workflows and tools that the option `access` keeps from the caller, and routes that `auth.consoleRoutes` reserves for the console, are left out.
         */
        get: operations["getCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get who you are, and what you may do in the console */
        get: operations["getIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recorded runs of an agent, newest first
         * @description Includes runs that another agent or a workflow started. The last entries of a page are missing if they do not fit into its limit of bytes: `isComplete` is false then, and a smaller `limit` returns them.
         */
        get: operations["getAgentHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate text
         * @description The response to an approval request of an agent in a workflow resumes that execution. A client that leaves does not end it. The result is what the agent does from then on, until it ends or waits again.
         */
        post: operations["generateText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stream the events of a run
         * @description Takes a generation request, or what `TextStreamChatTransport` or `useCompletion` of the AI SDK sends. Clients that send `Accept: text/plain` get, instead of events, the text. The response to an approval request of an agent in a workflow resumes that execution. A client that leaves does not end it. Its events are sent until it ends or waits again.
         */
        post: operations["streamText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/object": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Generate an object that fits a JSON Schema */
        post: operations["generateObject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/stream-object": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stream an object while it is generated
         * @description Clients that send `Accept: text/plain` get, instead of events, the JSON text of the object, as `useObject` of the AI SDK reads it.
         */
        post: operations["streamObject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a model with edited instructions, messages, tools and settings
         * @description One model call, which is recorded as a run of the agent, with its guardrails, retries and limits. Nothing is stored in a conversation, and no tool is run: the reply contains the calls that the model proposes.
         */
        post: operations["tryModelCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Chat, in the UI message stream format of the AI SDK
         * @description Takes a generation request, or the request of the chat transport or `useCompletion` of the AI SDK. The chunks are followed by `data: [DONE]`. The response to an approval request of an agent in a workflow resumes that execution. A client that leaves does not end it. A resumable reply continues without its client, and a durable one also without the server that began it.
         */
        post: operations["chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/chat/{conversationId}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the live reply of a conversation, from its first chunk
         * @description For resumable chats, whichever server generates the reply. The chat transport of the AI SDK reconnects here. The chunks are followed by `data: [DONE]`.
         */
        get: operations["resumeChat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/chat/{conversationId}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the live reply of a conversation
         * @description For resumable chats, whichever server generates the reply. The text so far stays in the conversation; clients that follow it get an `abort` chunk.
         */
        post: operations["stopChat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rate a reply of a conversation
         * @description Each user has one rating of a reply: a later one replaces it, and null withdraws it. It is stored in the trace of the reply, and is exported and deleted with it.
         */
        post: operations["giveFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List workflows */
        get: operations["listWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a workflow with its steps and schemas */
        get: operations["getWorkflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish an event for the executions that wait for it
         * @description An operator's event reaches the executions of everyone; a user's only the user's own, and there only waits that are `from: 'owner'`. Executions that wait for the event later receive it too, if they were started before.
         */
        post: operations["publishWorkflowEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a workflow and wait for its result
         * @description Replies when the execution is completed, suspended or cancelled, or with status `running` when it takes too long. The execution continues if the client disconnects.
         */
        post: operations["executeWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a workflow and follow its events until it is suspended or ends
         * @description The execution continues if the client disconnects, and the client can follow it again.
         */
        post: operations["streamWorkflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List executions, newest first
         * @description A page contains as many executions as fit into its limit of bytes: continue with `after` while `hasMore` is true.
         */
        get: operations["listExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of an execution */
        get: operations["getExecutionState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of your own execution */
        get: operations["getExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of an execution until it is suspended or ends
         * @description Starts with the stored events after the one that `Last-Event-ID` or `from` names, else with the first event. Contains a `workflow-result` for each time that the execution was suspended, and for its end. After the last event of an execution that has ended, the reply is 204, and an `EventSource` stops.
         */
        get: operations["followExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend an execution before the next step, until it is resumed
         * @description Replies when the execution is suspended. The signal of the running step is aborted, and the step may finish.
         */
        post: operations["suspendExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a suspended execution and wait for its result
         * @description The first response to a suspension counts. `options.suspensionId` names the suspension: if others are pending, the reply is 409. An approval requires it, because the consent is to the call that was shown, and so does a step that has asked before. A user cannot answer a wait for events of the app, and gives no data to an execution that was suspended from outside, nor does the console key where its user may have done that: nothing was asked. An earlier step in `options.stepId` rewinds the execution, which needs the console key, or a workflow that allows it to its users.
         */
        post: operations["resumeExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed execution from the steps that failed and wait for its result
         * @description Steps that succeeded do not run again. A failed sub-workflow starts again. Users need a workflow that allows it.
         */
        post: operations["retryExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an execution */
        post: operations["cancelExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/terminate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an execution at once, without compensation
         * @description For an execution that cannot be cancelled, because no process has its workflow or its steps any more. Its sub-workflows end too. A process that still runs it records nothing more.
         */
        post: operations["terminateExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a new execution from a step of this one and wait for its result
         * @description Copies the records of the earlier steps. The result and `x-execution-id` are those of the new execution. Users need a workflow that allows it.
         */
        post: operations["replayExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your own executions, newest first
         * @description A page contains as many executions as fit into its limit of bytes: continue with `after` while `hasMore` is true.
         */
        get: operations["listOwnExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/workflows/{id}/executions/{executionId}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of an execution of any user until it is suspended or ends
         * @description Starts with the stored events after the one that `Last-Event-ID` or `from` names, else with the first event. Contains a `workflow-result` for each time that the execution was suspended, and for its end. After the last event of an execution that has ended, the reply is 204, and an `EventSource` stops.
         */
        get: operations["viewExecutionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/{id}/executions/{executionId}/stream-ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a ticket for the events of an execution
         * @description For a browser's `EventSource`, which sends no headers: for a minute, the ticket in `?ticket=` opens the stream of this execution as this user. An open stream goes on.
         */
        post: operations["createStreamTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/executions/bulk/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Count the executions that a bulk operation would reach, without changing any */
        post: operations["previewBulkOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/executions/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel, resume, retry or replay all executions that match
         * @description Replies at once; the operation continues in the server, also if a process of it ends. Each execution is changed at most once.
         */
        post: operations["startBulkOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/executions/bulk/{bulkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the progress of a bulk operation, or its report when it has ended */
        get: operations["getBulkOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workflows/executions/bulk/{bulkId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a bulk operation
         * @description Executions that it has changed stay changed.
         */
        post: operations["cancelBulkOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tools */
        get: operations["listTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{name}/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Execute a tool directly
         * @description A tool of an agent can also be called `agent/tool`, percent-encoded. It must be where tools of several agents have the same name.
         */
        post: operations["executeTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List conversations */
        get: operations["listConversations"];
        put?: never;
        /**
         * Create a conversation
         * @description Not necessary before a run: agents create the conversation of a run themselves.
         */
        post: operations["createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/conversations/{conversationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a conversation */
        get: operations["getConversation"];
        put?: never;
        post?: never;
        /** Delete a conversation with its messages, working memory and vectors */
        delete: operations["deleteConversation"];
        options?: never;
        head?: never;
        /** Change the title or the metadata of a conversation */
        patch: operations["updateConversation"];
        trace?: never;
    };
    "/api/memory/conversations/{conversationId}/clone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a conversation with its working memory
         * @description The messages of the copy have new ids and the original order and times.
         */
        post: operations["cloneConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/conversations/{conversationId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest messages of a conversation, oldest first
         * @description A page contains as many messages as fit into its limit of bytes: continue with `before`, the time of its first message, while `hasMore` is true.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/save-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write messages into existing conversations
         * @description A message replaces the one with the same id, else it is appended. Nothing is written unless all messages are valid and all conversations exist. The messages of one conversation are written atomically. Summaries of a message that changes are deleted.
         */
        post: operations["saveMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/messages/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete messages of a conversation
         * @description Also deletes the summaries that repeat them. Deleting a summary undoes it.
         */
        post: operations["deleteMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/conversations/{conversationId}/working-memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the working memory of a conversation or its user */
        get: operations["getWorkingMemory"];
        put?: never;
        /** Change the working memory of a conversation or its user */
        post: operations["updateWorkingMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search messages by meaning
         * @description Requires a memory with an embedding model and a vector store.
         */
        get: operations["searchMemory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/users/{userId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the data of a user, one record per event
         * @description Conversations with their messages and working memory, and executions with their events, of every memory of the server. Data written during the export may be missing. A verified user can export only their own data.
         */
        get: operations["exportUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/memory/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete all data of a user
         * @description Deletes conversations, messages, working memory, vectors, executions and their telemetry in every memory of the server. Running executions stop. A verified user can delete only their own data.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the conversations of all users */
        get: operations["viewConversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/conversations/{conversationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a conversation of any user */
        get: operations["viewConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/conversations/{conversationId}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest messages of a conversation
         * @description A page contains as many messages as fit into its limit of bytes: continue with `before`, the time of its first message, while `hasMore` is true.
         */
        get: operations["viewMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/conversations/{conversationId}/working-memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the working memory of a conversation or its user */
        get: operations["viewWorkingMemory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/memory/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the messages of all users by meaning
         * @description Requires a memory with an embedding model and a vector store.
         */
        get: operations["viewMemorySearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/users/{userId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all data of a user, one record per event
         * @description As the export of a user, and the spans and log records of the user’s runs. Data written during the export may be missing.
         */
        get: operations["viewUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests that wait for a person, in executions and in conversations, newest first
         * @description Contains the requests of the newest 200 suspended executions and of the 200 conversations that changed last: of each message the first 50 calls, and of messages that have more than `limits.pageBytes` together, not the largest. Of the conversations of others, contains those of the newest 10000 requests whose rules name the user, at most 200. An agent in a conversation must have a memory: else only its client knows the request.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Respond to a request that waits for a person
         * @description Replies when the response is accepted; the execution or the agent continues. Each request accepts one response: later ones, and those after its expiry, are refused.
         */
        post: operations["answerApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the requests that you may answer
         * @description Contains the requests of the newest 200 suspended executions and of the 200 conversations that changed last: of each message the first 50 calls, and of messages that have more than `limits.pageBytes` together, not the largest. Of the conversations of others, contains those of the newest 10000 requests whose rules name the user, at most 200. An agent in a conversation must have a memory: else only its client knows the request.
         */
        get: operations["listOwnApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Respond to a request that you may answer
         * @description Replies when the response is accepted; the execution or the agent continues. Each request accepts one response: later ones, and those after its expiry, are refused.
         */
        post: operations["answerOwnApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the approvals of later calls, newest first, at most 200 */
        get: operations["listApprovalGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the approvals of later calls that you gave, or that are for your runs */
        get: operations["listOwnApprovalGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/grants/{grantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an approval of later calls: the next call asks again */
        delete: operations["revokeApprovalGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/grants/{grantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an approval of later calls that you gave, or that is for your runs */
        delete: operations["revokeOwnApprovalGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the request of an answer link to its recipient
         * @description Changes nothing, so programs that open links answer nothing. `server.approvals.link` makes the links.
         */
        get: operations["openAnswerLink"];
        put?: never;
        /**
         * Answer the request of an answer link
         * @description Accepts the form of the page. A request accepts one answer.
         */
        post: operations["useAnswerLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who did what, newest first */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all matching records, newest first, one per event
         * @description Clients that send `Accept: text/plain` get JSON lines instead of events.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the endpoints of webhooks, and what was sent to them, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again, with the same id
         * @description Enables its endpoint, if that was disabled.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{hookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a signed webhook for a hook of the server
         * @description Signed by the Standard Webhooks specification, or as the hook verifies it. A webhook that is sent again has no further effect.
         */
        post: operations["receiveWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get whether and where runs are recorded */
        get: operations["getObservabilityStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/traces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List traces, newest first
         * @description A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one.
         */
        get: operations["listTraces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/traces/{traceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a trace with its spans, by their start time
         * @description A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one. The tree contains the spans of the page.
         */
        get: operations["getTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/spans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List spans of all traces, newest first
         * @description The runs of an agent, a workflow or a tool, and the calls of a model. The spans have no prompts, replies, arguments and results. A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one.
         */
        get: operations["listSpans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/spans/{spanId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a span */
        get: operations["getSpan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/traces/{traceId}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the log records of a trace, newest first
         * @description A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one.
         */
        get: operations["listTraceLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/spans/{spanId}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the log records of a span, newest first
         * @description A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one.
         */
        get: operations["listSpanLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List log records, newest first
         * @description A page contains as many items as fit into its limit of bytes: while `hasMore` is true, continue with the `offset` after its last one.
         */
        get: operations["queryLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count requests, errors, tokens, costs and durations over time */
        get: operations["countRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count failures by their reason
         * @description A failure is a span that failed by itself: an agent that failed because its model did is not a second one. Runs that were stopped or refused are no failures.
         */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the instructions and model settings of an agent
         * @description Instructions can contain secrets: only operators read them, and `GET /agents/{id}` has none.
         */
        get: operations["getAgentDefinition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/observability/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the work of this process, its schedules and limits, and settings that are a risk */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List newer versions of the Halyard packages
         * @description Checks the direct dependencies of the app. The result is cached for an hour.
         */
        get: operations["checkUpdates"];
        put?: never;
        /**
         * Install all updates
         * @description Installs the latest version with the package manager of the app and without install scripts. Refused in production unless the option `updates.allowInProduction` is set.
         */
        post: operations["installUpdates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/updates/{packageName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Update one package
         * @description Installs the latest version with the package manager of the app and without install scripts. Refused in production unless the option `updates.allowInProduction` is set. The slash in the name may be URL-encoded or not.
         */
        post: operations["installUpdate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setup-observability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write the keys of the observability service to the .env file of the app
         * @description Sets `SERVICE_PUBLIC_KEY` and `SERVICE_SECRET_KEY`. Refused in production unless the option `updates.allowInProduction` is set.
         */
        post: operations["setUpObservability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent as an A2A 1.0 agent card
         * @description The reply has no envelope, so that A2A clients can read it.
         */
        get: operations["getAgentCard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the registered MCP servers */
        get: operations["listMcpServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp/servers/{serverId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an MCP server */
        get: operations["getMcpServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp/servers/{serverId}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools of an MCP server
         * @description Requests the list from an external server: 503 if it is unreachable.
         */
        get: operations["listMcpTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the log of the server, newest first
         * @description Contains only lines that the log level of the server includes, as many as fit into the limit of bytes of a page: while `hasMore` is true, continue with `until`, the time of the last line.
         */
        get: operations["listSystemLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A page for people: links, agents, workflows and a first request */
        get: operations["getLandingPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/doc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document: OpenAPI 3.1 */
        get: operations["getApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the server accepts requests
         * @description For load balancers: the storage can be written, the vector stores are reachable, and the server is not shutting down. If not, the reply names the parts that are not ready.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics of this process, for Prometheus
         * @description In the text format of Prometheus. Each process reports only its own values, also while it shuts down. No value belongs to a single user.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AgentCard: {
            name: string;
            description: string;
            /** @description Empty: the agent is called by the API of this server, which is not a binding of A2A. */
            supportedInterfaces: {
                url: string;
                protocolBinding: string;
                protocolVersion: string;
            }[];
            version: string;
            documentationUrl: string;
            capabilities: {
                streaming: boolean;
                pushNotifications: boolean;
                extendedAgentCard: boolean;
                extensions: {
                    uri: string;
                    description: string;
                    required: boolean;
                    params: {
                        url: string;
                        openApiUrl: string;
                    };
                }[];
            };
            defaultInputModes: string[];
            defaultOutputModes: string[];
            skills: {
                id: string;
                name: string;
                description: string;
                tags: string[];
            }[];
        };
        AgentDefinition: {
            id: string;
            /** @description As in the code; null if a function writes them for each run, and for callers that are no operators */
            instructions: string | null;
            /** @description What model calls get if a request sets nothing. Headers and options of a provider are left out */
            settings: {
                /** @description Such as `temperature` */
                name: string;
                /** @description null: the setting is not sent, so that the provider decides */
                value: unknown;
                /** @description The agent sets it, or it is the default of the server */
                origin: "agent" | "default";
            }[];
        };
        /** @description One event of a run. The last is exactly one of `finish`, `abort` and `error`. */
        AgentEvent: {
            /** @constant */
            type: "start";
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "start-step";
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "text-start";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "text-delta";
            id: string;
            delta: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "text-end";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            citations?: components["schemas"]["Citation"][];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "reasoning-start";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "reasoning-delta";
            id: string;
            delta: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "reasoning-end";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "tool-input-start";
            id: string;
            toolName: string;
            /** @description The name of the tool for people. */
            title?: string;
            providerExecuted?: boolean;
            /** @description The tool is not one of the agent's. */
            dynamic?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "tool-input-delta";
            id: string;
            delta: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "tool-input-end";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "tool-call";
            toolCallId: string;
            toolName: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
            providerExecuted?: boolean;
            /** @description The tool is not one of the agent's. */
            dynamic?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            /** @description The name of the tool for people. */
            title?: string;
            /** @description The call waits for approval by a person: no result follows in this run. */
            approvalId?: string;
            /** @description Send it back with the approval response. */
            signature?: string;
            /** @description The arguments are invalid for the tool; a tool-error follows. */
            invalidInput?: boolean;
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "tool-result";
            toolCallId: string;
            toolName: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
            providerExecuted?: boolean;
            /** @description The tool is not one of the agent's. */
            dynamic?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            /** @description Result of the tool, any JSON. */
            output: unknown;
            /** @description The tool still works; another result of this call follows and replaces this one. */
            preliminary?: boolean;
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "tool-error";
            toolCallId: string;
            toolName: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
            providerExecuted?: boolean;
            /** @description The tool is not one of the agent's. */
            dynamic?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            error: string;
            /** @description A person denied the call. */
            denied?: boolean;
            /** @description The arguments of the model are invalid for the tool. */
            invalidInput?: boolean;
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "source";
            id: string;
            /** @constant */
            sourceType: "url";
            url: string;
            title?: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "source";
            id: string;
            /** @constant */
            sourceType: "document";
            mediaType: string;
            title: string;
            filename?: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "file";
            mediaType: string;
            url: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "raw";
            /** @description An unchanged chunk of the provider. */
            rawValue: unknown;
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "finish-step";
            finishReason: components["schemas"]["FinishReason"];
            usage: components["schemas"]["Usage"];
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "finish";
            finishReason: components["schemas"]["FinishReason"];
            usage: components["schemas"]["Usage"];
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "abort";
            reason?: string;
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        } | {
            /** @constant */
            type: "error";
            error: string;
            agentId?: string;
            /** @description From the called agent to the sub-agent that emits the event. */
            agentPath?: string[];
            /** @description The call that started the sub-agent. */
            parentToolCallId?: string;
        };
        AgentHistory: {
            entries: components["schemas"]["AgentHistoryEntry"][];
            total: number;
            page: number;
            limit: number;
            /** @description Whether the page contains all its entries. */
            isComplete: boolean;
        };
        AgentHistoryEntry: {
            id: string;
            agentId: string;
            /** @description `text`, `stream`, `chat`, `object` or `stream-object`. */
            operation: string;
            /**
             * @description `aborted`: the caller has left or stopped it. `refused`: a guardrail blocked it, or its request was not accepted.
             * @enum {string}
             */
            status: "running" | "completed" | "error" | "aborted" | "refused";
            /** @description Messages, any JSON; null if contents are not recorded. */
            input: unknown;
            /** @description Messages, any JSON; null if contents are not recorded, and during the run. */
            output: unknown;
            usage: components["schemas"]["Usage"];
            /** Format: date-time */
            startedAt: string;
            endedAt: string | null;
            userId: string | null;
            conversationId: string | null;
            traceId: string;
            error?: string;
            /** @description A code such as `REPLY_STOPPED`, or the class of the error. */
            errorType?: string;
        };
        /** @description A text, or messages: either all UI messages (`{id?, role, parts}`) or all model messages (`{role, content}`). */
        AgentInput: string | (components["schemas"]["UiMessage"] | components["schemas"]["ModelMessage"])[];
        AgentSummary: {
            id: string;
            name: string;
            description: string;
            /** @constant */
            status: "idle";
            /** @description Name of the model; `dynamic` if the agent chooses it for each run. */
            model: string;
            tools: string[];
            /** @description Null if the agent has no memory. */
            memory: {
                /** @description The settings of the memory. */
                config: {
                    [key: string]: unknown;
                };
            } | null;
            /**
             * @description `operators`: only the console key may run it. `server`: no request may. Absent: users may.
             * @enum {string}
             */
            access?: "operators" | "server";
            /** @description Questions that a page can offer before the first message. */
            suggestions: string[];
            subAgents: {
                id: string;
                name: string;
                description: string;
                /** @constant */
                status: "idle";
                /** @description Name of the model; `dynamic` if the agent chooses it for each run. */
                model: string;
                tools: string[];
                /** @description Null if the agent has no memory. */
                memory: {
                    /** @description The settings of the memory. */
                    config: {
                        [key: string]: unknown;
                    };
                } | null;
                /**
                 * @description `operators`: only the console key may run it. `server`: no request may. Absent: users may.
                 * @enum {string}
                 */
                access?: "operators" | "server";
            }[];
            isTelemetryEnabled: boolean;
            settings: {
                /**
                 * @description Where the instructions come from: a text, system messages, or a function that returns them for each run. Their content is not part of this API.
                 * @enum {string}
                 */
                instructions: "none" | "text" | "messages" | "function";
                /**
                 * @description Whether a function chooses the tools for each run: `tools` is empty then.
                 * @enum {string}
                 */
                tools: "fixed" | "function";
                /**
                 * @description Whether a function chooses the sub-agents for each run: `subAgents` is empty then.
                 * @enum {string}
                 */
                subAgents: "fixed" | "function";
                /** @description Maximum number of model calls of a run. */
                maxSteps: number;
                /**
                 * @description The policy for a question that arrives during an earlier run of its conversation.
                 * @enum {string}
                 */
                onBusy: "reject" | "queue" | "interrupt";
                /** @description Whether chats continue when their client disconnects. */
                resumable: boolean;
                /** @description Whether chats are executions; null: as `resumable` where the storage outlives the process. */
                durable: boolean | null;
                /** @description The settings of model calls, if a request sets none, without headers and options of providers. Null or absent: the default of the provider. */
                generation: {
                    [key: string]: unknown;
                };
            };
        };
        /** @description With `approved`, and without `input`: approves later calls, too. Only for a request with `allowsAlways`. */
        Always: {
            /**
             * @description `conversation`: calls of this tool by this agent in this conversation. `tool`: those in all runs of the same user.
             * @enum {string}
             */
            scope: "conversation" | "tool";
            /** @description For how long, in milliseconds. Default: 30 days. */
            expiryMs?: number;
        };
        Approval: {
            /** @description Pass it with the response. */
            id: string;
            /**
             * @description `tool`: an agent waits for the approval of a tool call. `step`: a step of a workflow waits for data. `request`: an execution was suspended from outside, and asks nothing: an answer without data continues it.
             * @enum {string}
             */
            kind: "tool" | "step" | "request";
            reason: string;
            /** Format: date-time */
            requestedAt: string;
            /** @description Until when it can be answered; null: at any time. */
            expiresAt: string | null;
            /** @description The agent that asks, possibly a sub-agent. */
            agentId: string | null;
            /** @description The tool, for the kind `tool`. */
            toolName: string | null;
            /** @description The arguments of the tool call, any JSON. */
            input?: unknown;
            /** @description The data of the step for the person who responds, any JSON. */
            data?: unknown;
            /** @description The JSON Schema of the resume data, or null. */
            resumeSchema: {
                [key: string]: unknown;
            } | null;
            /** @description The user whose run waits. */
            userId: string | null;
            /** @description Who may respond: ids of users, `role:<name>`, `tenant:<id>`. Null: the user whose run waits. Operators always may. */
            approvers: string[] | null;
            /** @description How many different people must approve. */
            quorum: number;
            /** @description Whether the response may have `always`. */
            allowsAlways: boolean;
            /** @description The last texts of the conversation in which an agent asks, the earliest first. Its user can change them. */
            conversation?: {
                role: string;
                text: string;
            }[];
            /** @description The conversation that the run belongs to. */
            conversationId: string | null;
            /** @description The workflow that waits; null for an agent in a conversation. */
            workflowId: string | null;
            /** @description The execution that waits; null for an agent in a conversation. */
            executionId: string | null;
            /** @description The step that waits. */
            stepId: string | null;
        };
        ApprovalAnswer: {
            /** @description The `id` of the request. */
            id: string;
            /** @description Of the request, if it has one. */
            executionId?: string;
            /** @description Of the request, if it has no `executionId`. */
            conversationId?: string;
            /** @description For the kind `tool`: required. */
            approved?: boolean;
            /** @description Why; the model reads it. */
            reason?: string;
            /** @description For the kind `tool`, with `approved`: arguments that replace those of the model, validated by the schema of the tool. The caller must be allowed to approve these arguments, too. Not accepted where `quorum` is more than 1. */
            input?: unknown;
            always?: components["schemas"]["Always"];
            /** @description For the kind `step`: the resume data, validated by `resumeSchema`. */
            resumeData?: unknown;
        };
        ApprovalGrant: {
            id: string;
            /** @description The agent whose calls run, possibly a sub-agent. */
            agentId: string;
            toolName: string;
            /**
             * @description `conversation`: calls of this tool by this agent in this conversation. `tool`: those in all runs of the same user.
             * @enum {string}
             */
            scope: "conversation" | "tool";
            /** @description The conversation, for the scope `conversation`. */
            conversationId: string | null;
            /** @description The user whose runs do not ask any more. */
            userId: string | null;
            /** @description The user who approved; null for an operator without a name. */
            grantedBy: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        AuditRecord: {
            id: string;
            /** @description When the action began */
            at: string;
            actor: {
                /** @description The verified user, also of an operator who sent a token beside the console key */
                userId: string | null;
                roles: string[];
                tenantId: string | null;
                /**
                 * @description `open`: without a credential, where none is needed. `server`: code of the app answered for the user, or nobody acted, such as at the end of a time limit
                 * @enum {string}
                 */
                channel: "token" | "console-key" | "link" | "webhook" | "open" | "server";
                /** @description The IP address */
                address: string;
            };
            action: string;
            /** @description The ids that the request named */
            target: {
                agentId?: string;
                approvalId?: string;
                bulkId?: string;
                conversationId?: string;
                executionId?: string;
                userId?: string;
                workflowId?: string;
            };
            /** @description What was requested, such as a decision and its reason */
            detail?: {
                [key: string]: unknown;
            };
            /** @description Null while the action runs, and if its process ended before the outcome was written */
            outcome: {
                at: string;
                /** @description The code of the error reply; null for a success */
                errorCode: string | null;
            } | null;
        };
        BulkFilter: {
            /** @description Only the executions with these ids. */
            ids?: string[];
            workflowId?: string;
            status?: components["schemas"]["ExecutionStatus"];
            /**
             * @description Only executions that are in quarantine.
             * @constant
             */
            quarantined?: true;
            /**
             * Format: date-time
             * @description Created at or after: an ISO 8601 timestamp, UTC without an offset.
             */
            from?: string;
            /**
             * Format: date-time
             * @description Created at or before: an ISO 8601 timestamp, UTC without an offset.
             */
            to?: string;
            userId?: string;
            /** @description The metadata must contain each of these fields. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        BulkOperation: {
            bulkId: string;
            /** @enum {string} */
            operation: "cancel" | "resume" | "retry" | "replay";
            filter: components["schemas"]["BulkFilter"];
            status: components["schemas"]["ExecutionStatus"];
            /** @description How many executions match: exact below 10 000. */
            matched: number;
            succeeded: number;
            /** @description Executions whose state does not allow the operation. */
            skipped: number;
            failed: number;
            /** @description The first 200 that were skipped. */
            skips: components["schemas"]["BulkRefusal"][];
            /** @description The first 200 that failed. */
            failures: components["schemas"]["BulkRefusal"][];
            /** Format: date-time */
            startAt: string;
            /** @description Null until it ends. */
            endAt: string | null;
            error?: components["schemas"]["ExecutionError"];
        };
        BulkPreview: {
            /** @description How many executions match: exact below 10 000. */
            matched: number;
            /** @description The first of them, newest first: at most 20. */
            executionIds: string[];
        };
        BulkRefusal: {
            executionId: string;
            workflowId: string;
            /** @description Stable, as in `x-error-code`. */
            code: string;
            message: string;
        };
        BulkRequest: {
            /** @enum {string} */
            operation: "cancel" | "resume" | "retry" | "replay";
            filter?: components["schemas"]["BulkFilter"];
            /**
             * @description Selects every execution, instead of a `filter` with at least one condition.
             * @constant
             */
            all?: true;
            /** @description For `cancel`. */
            reason?: string;
            /** @description For `replay`, where it is required: the step at which the new executions start. For `resume`: only executions that are suspended at this step. */
            stepId?: string;
            /** @description For `resume` and `replay`: the resume data of each execution. */
            resumeData?: unknown;
            /** @description For `replay`: replaces the input of the top-level step. */
            inputData?: unknown;
            /** @description A repeated request with the same id starts nothing, and returns the first bulk operation. */
            requestId?: string;
        };
        BulkSelection: {
            filter?: components["schemas"]["BulkFilter"];
            /**
             * @description Selects every execution, instead of a `filter` with at least one condition.
             * @constant
             */
            all?: true;
        };
        CancelledExecution: {
            executionId: string;
            /** @constant */
            status: "cancelled";
            /** Format: date-time */
            cancelledAt: string;
            reason: string;
        };
        Catalog: {
            agents: {
                id: string;
                name: string;
                description: string;
                /** @description Whether it stores conversations. */
                hasMemory: boolean;
                /** @description Questions that a page can offer before the first message. */
                suggestions: string[];
            }[];
            workflows: {
                id: string;
                name: string;
                purpose: string;
                /** @description JSON Schema of the input, or null. */
                inputSchema: {
                    [key: string]: unknown;
                } | null;
                /** @description JSON Schema of the resume data of its steps, or null. */
                resumeSchema: {
                    [key: string]: unknown;
                } | null;
            }[];
            /** @description Tools that can be executed directly: without approval and not by the client. */
            tools: {
                name: string;
                description: string;
                /** @description JSON Schema of the input. */
                inputSchema: {
                    [key: string]: unknown;
                };
            }[];
        };
        ChatOptions: {
            userId?: string;
            conversationId?: string;
            /** @description How many stored messages the model receives, and up to half as many more. Default: the setting of the memory, else 10. */
            contextLimit?: number;
            /** @description Maximum number of model calls of the run. Default 10. */
            maxSteps?: number;
            /** @description Default: the setting of the agent, else 0.7, unless the model reasons or the server or agent uses the defaults of the provider. */
            temperature?: number;
            /** @description Default: the setting of the agent, else 4000, unless the model reasons or the server or agent uses the defaults of the provider. */
            maxOutputTokens?: number;
            /** @description Default: the setting of the agent, else 1, unless the model reasons or the server or agent uses the defaults of the provider. */
            topP?: number;
            /** @description Default: the setting of the agent, else 0, unless the model reasons or the server or agent uses the defaults of the provider. */
            frequencyPenalty?: number;
            /** @description Default: the setting of the agent, else 0, unless the model reasons or the server or agent uses the defaults of the provider. */
            presencePenalty?: number;
            seed?: number;
            stopSequences?: string[];
            /** @description Options for providers, by the name of the provider. */
            providerOptions?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description Passed to instructions and tools. */
            context?: {
                [key: string]: unknown;
            } | null;
            memory?: {
                userId?: string;
                conversationId?: string;
                options?: {
                    /** @description How many stored messages the model receives, and up to half as many more. Default: the setting of the memory, else 10. */
                    contextLimit?: number;
                    /** @description Read stored messages but store nothing. */
                    readOnly?: boolean;
                    semanticMemory?: {
                        enabled?: boolean;
                        /** @description Maximum number of recalled messages. */
                        semanticLimit?: number;
                        /** @description Minimum cosine similarity. */
                        semanticThreshold?: number;
                        /**
                         * @description Position of recalled messages: after the others, before them, or by time.
                         * @enum {string}
                         */
                        mergeStrategy?: "append" | "prepend" | "interleave";
                    } | null;
                    conversationPersistence?: {
                        /** @enum {string} */
                        mode?: "step" | "finish";
                        /** @description Maximum delay of the write after a step. */
                        debounceMs?: number;
                        /** @description Write tool results without delay. */
                        flushOnToolResult?: boolean;
                    } | null;
                } | null;
            } | null;
            /** @description The reply is an execution: when the server that generates it ends, another one continues it from the last recorded model or tool call, under the same message id. Clients can reconnect to it, as with `resumable`. Requires a conversation id. Default: the setting of the agent, else as `resumable` where the storage outlives the process. */
            durable?: boolean;
            /** @description The reply continues when the client disconnects, and the client can reconnect to it. Requires a conversation id. Default: the setting of the agent. */
            resumable?: boolean;
        } | null;
        ChatRequest: {
            input?: components["schemas"]["AgentInput"];
            messages?: components["schemas"]["UiMessage"][];
            /** @description The input as a text, as `useCompletion` of the AI SDK sends it. */
            prompt?: string;
            id?: string;
            /** @description `regenerate-message`: a new reply replaces everything after the last message of the user. Otherwise nothing that is stored is replaced, unless `messageId` names that message. */
            trigger?: string;
            /** @description The id of the last message, if it is an edit of a stored message: everything after it is replaced. */
            messageId?: string;
            options?: components["schemas"]["ChatOptions"];
        };
        /** @description The source of a passage of the text. */
        Citation: {
            [key: string]: unknown;
        };
        Conversation: {
            id: string;
            /** @description The id of the agent, or another id chosen by the app. */
            resourceId: string;
            userId: string;
            /** @description Empty without a title. */
            title: string;
            /** @description As it was sent. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description The time of the last change or message.
             */
            updatedAt: string;
        };
        ConversationChange: {
            /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
            agentId?: string;
            /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
            userId?: string;
            title?: string;
            /** @description Replaces the metadata as a whole. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        ConversationClone: {
            /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
            agentId?: string;
            /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
            userId?: string;
            /** @description Default: a new id. */
            newConversationId?: string;
            /** @description Default: the title of the original. */
            title?: string;
            /** @description Default: true. */
            includeMessages?: boolean;
        } | null;
        DeleteMessagesRequest: {
            /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
            agentId?: string;
            /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
            userId?: string;
            conversationId: string;
            messageIds: string[];
        };
        DeletedUser: {
            /** @constant */
            deleted: true;
            conversations: number;
            messages: number;
            /** @description Without executions of sub-workflows. */
            executions: number;
        };
        ExecutionError: {
            message: string;
            /** @description The step that failed. */
            stepId?: string;
            /** @description Stable, as in `x-error-code`. */
            code?: string;
        };
        ExecutionRecord: {
            id: string;
            workflowId: string;
            workflowName: string;
            status: components["schemas"]["ExecutionStatus"];
            /** @description Input of the execution, any JSON. */
            input: unknown;
            /** @description Result of the execution, any JSON. */
            output?: unknown;
            error?: components["schemas"]["ExecutionError"];
            /** @description Why it failed, in the words of the error that a step threw. Only for operators, and only where runs are recorded. */
            failureReason?: string;
            /** @description The state that the steps share. */
            workflowState: {
                [key: string]: unknown;
            };
            /** @description The earliest pending suspension, or null. */
            suspension: components["schemas"]["PendingSuspension"] | null;
            /**
             * Format: date-time
             * @description When it was suspended because no process could run it. Absent unless it still is.
             */
            quarantinedAt?: string;
            /**
             * Format: date-time
             * @description Since when it has waited because as many executions run as the `concurrency` of the workflow allows. Absent unless it waits.
             */
            waitingSince?: string;
            /** @description The execution whose sub-workflow this is. Absent for a root. */
            parentExecutionId?: string;
            /** @description The step that runs this sub-workflow, by its path in the root: `lines:3/ship`. */
            parentStep?: string;
            userId?: string;
            conversationId?: string;
            /** @description The metadata of the request that started it. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            events: components["schemas"]["ExecutionRecordEvent"][];
            /**
             * @description Later events are left out: the page has no room for them. `GET …/stream` has all. Absent: none are left out.
             * @constant
             */
            hasMoreEvents?: true;
        };
        ExecutionRecordEvent: {
            id: string;
            /** @description `workflow-start`, `step-complete` and so on, as in streams. */
            type: string;
            /** @description Name of the step or of the workflow. */
            name: string;
            /** @description Id of the step or of the workflow. */
            from: string;
            /** Format: date-time */
            startTime: string;
            /**
             * Format: date-time
             * @description The same as startTime for a start.
             */
            endTime: string;
            /** @enum {string} */
            status: "running" | "success" | "skipped" | "error" | "cancelled";
            /** @description For a start: any JSON. */
            input?: unknown;
            /** @description For a success: any JSON. */
            output?: unknown;
        };
        ExecutionState: {
            executionId: string;
            workflowId: string;
            workflowName: string;
            status: components["schemas"]["ExecutionStatus"];
            /** @description Input of the execution, any JSON. */
            input: unknown;
            /** @description Result of the execution, any JSON. */
            output?: unknown;
            error?: components["schemas"]["ExecutionError"];
            /** @description Why it failed, in the words of the error that a step threw. Only for operators, and only where runs are recorded. */
            failureReason?: string;
            /** @description The state that the steps share. */
            workflowState: {
                [key: string]: unknown;
            };
            /** @description The earliest pending suspension, or null. */
            suspension: components["schemas"]["PendingSuspension"] | null;
            /**
             * Format: date-time
             * @description When it was suspended because no process could run it. Absent unless it still is.
             */
            quarantinedAt?: string;
            /**
             * Format: date-time
             * @description Since when it has waited because as many executions run as the `concurrency` of the workflow allows. Absent unless it waits.
             */
            waitingSince?: string;
            /** @description The execution whose sub-workflow this is. Absent for a root. */
            parentExecutionId?: string;
            /** @description The step that runs this sub-workflow, by its path in the root: `lines:3/ship`. */
            parentStep?: string;
            userId?: string;
            conversationId?: string;
            /** @description The metadata of the request that started it. */
            metadata: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** Format: date-time */
            startAt: string;
            /** @description Null until it ends. */
            endAt: string | null;
            /** @description The context of the request that started it. */
            context: {
                [key: string]: unknown;
            };
            /** @description All pending suspensions, the earliest first. */
            suspensions: components["schemas"]["WaitingStep"][];
            /** @description How often it was rewound or retried. */
            rewinds: {
                /** @description The steps from which it ran again. */
                paths: string[];
                /** @description Number of the last event before it. */
                seq: number;
            }[];
        };
        /** @enum {string} */
        ExecutionStatus: "running" | "suspended" | "completed" | "error" | "cancelled";
        FailureGroup: {
            /** @description The message, with `…` for each number and each generated id. */
            reason: string;
            /** @description The whole message of the latest failure. */
            message: string;
            /** @description A code such as `STEP_TIMED_OUT`, or the class of the error. */
            errorType: string | null;
            count: number;
            /** Format: date-time */
            firstAt: string;
            /** Format: date-time */
            lastAt: string;
            /** @description One for each interval. */
            countsOverTime: number[];
            /** @description What failed, the most frequent first; at most 8. */
            parts: {
                /** @enum {string} */
                kind: "agent" | "model" | "tool" | "workflow";
                id: string;
                /** @description How many of the failures passed through it. */
                count: number;
            }[];
            /** @description The executions that failed for this reason, the latest first; at most 1 000. */
            executions: {
                workflowId: string;
                executionId: string;
            }[];
            latest: {
                traceId: string;
                spanId: string;
            };
        };
        Failures: {
            /** Format: date-time */
            from: string;
            /**
             * Format: date-time
             * @description Exclusive.
             */
            to: string;
            intervalMs: number;
            /** @description How many failures were read. */
            count: number;
            /** @description False if there are more than 2000 failed spans: the newest were read. */
            isComplete: boolean;
            /** @description The reasons with the most failures first. */
            groups: components["schemas"]["FailureGroup"][];
        };
        Feedback: {
            /**
             * @description Null withdraws the rating.
             * @enum {string|null}
             */
            rating: "up" | "down" | null;
            note: string | null;
        };
        FeedbackRequest: {
            conversationId: string;
            /** @description The id of the reply. */
            messageId: string;
            /**
             * @description Null withdraws the rating.
             * @enum {string|null}
             */
            rating: "up" | "down" | null;
            /** @description Not stored on servers that record no texts. */
            note?: string | null;
            /** @description The user of the conversation. Optional for a verified user, who cannot name another user. */
            userId?: string;
        };
        /** @enum {string} */
        FinishReason: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
        GenerationOptions: {
            userId?: string;
            conversationId?: string;
            /** @description How many stored messages the model receives, and up to half as many more. Default: the setting of the memory, else 10. */
            contextLimit?: number;
            /** @description Maximum number of model calls of the run. Default 10. */
            maxSteps?: number;
            /** @description Default: the setting of the agent, else 0.7, unless the model reasons or the server or agent uses the defaults of the provider. */
            temperature?: number;
            /** @description Default: the setting of the agent, else 4000, unless the model reasons or the server or agent uses the defaults of the provider. */
            maxOutputTokens?: number;
            /** @description Default: the setting of the agent, else 1, unless the model reasons or the server or agent uses the defaults of the provider. */
            topP?: number;
            /** @description Default: the setting of the agent, else 0, unless the model reasons or the server or agent uses the defaults of the provider. */
            frequencyPenalty?: number;
            /** @description Default: the setting of the agent, else 0, unless the model reasons or the server or agent uses the defaults of the provider. */
            presencePenalty?: number;
            seed?: number;
            stopSequences?: string[];
            /** @description Options for providers, by the name of the provider. */
            providerOptions?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            } | null;
            /** @description Passed to instructions and tools. */
            context?: {
                [key: string]: unknown;
            } | null;
            memory?: {
                userId?: string;
                conversationId?: string;
                options?: {
                    /** @description How many stored messages the model receives, and up to half as many more. Default: the setting of the memory, else 10. */
                    contextLimit?: number;
                    /** @description Read stored messages but store nothing. */
                    readOnly?: boolean;
                    semanticMemory?: {
                        enabled?: boolean;
                        /** @description Maximum number of recalled messages. */
                        semanticLimit?: number;
                        /** @description Minimum cosine similarity. */
                        semanticThreshold?: number;
                        /**
                         * @description Position of recalled messages: after the others, before them, or by time.
                         * @enum {string}
                         */
                        mergeStrategy?: "append" | "prepend" | "interleave";
                    } | null;
                    conversationPersistence?: {
                        /** @enum {string} */
                        mode?: "step" | "finish";
                        /** @description Maximum delay of the write after a step. */
                        debounceMs?: number;
                        /** @description Write tool results without delay. */
                        flushOnToolResult?: boolean;
                    } | null;
                } | null;
            } | null;
        } | null;
        GenerationRequest: {
            input: components["schemas"]["AgentInput"];
            options?: components["schemas"]["GenerationOptions"];
        };
        Identity: {
            /** @description Null without a token. */
            userId: string | null;
            /** @description The claim `roles` of the token. */
            roles: string[];
            tenantId: string | null;
            /** @description What the caller may do in the console, one entry for each of its roles that opens it. */
            console: {
                /** @enum {string} */
                level: "viewer" | "operator" | "owner";
                /** @description Only these; null: all. */
                agents: string[] | null;
                /** @description Only these; null: all. */
                workflows: string[] | null;
                /** @description Only what users of this tenant have started; null: of all. */
                tenantId: string | null;
            }[];
        };
        LogEntry: {
            /** @description ISO 8601. */
            timestamp: string;
            /** @enum {string} */
            level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
            msg: string;
            component?: string;
            requestId?: string;
            traceId?: string;
            spanId?: string;
            agentId?: string;
            workflowId?: string;
            executionId?: string;
            conversationId?: string;
            /** @description The user to whom the line belongs: with `auth`, only a verified user. */
            userId?: string;
            /** @description With `auth`, the user that the request names, if this is not the verified user. */
            namedUserId?: string;
            /** @description The client that sent the request, if it has read successfully. */
            client?: string;
        } & {
            [key: string]: unknown;
        };
        LogPage: {
            logs: components["schemas"]["LogRecord"][];
            /** @description The number of records in this response. */
            count: number;
            /** @description Whether others follow. */
            hasMore: boolean;
            /** @description The filters of the request. */
            filter: {
                traceId?: string;
                spanId?: string;
                /** @description In any case, such as `WARN` or `error`. */
                severityText?: string;
                severityNumber?: number;
                /**
                 * Format: date-time
                 * @description At or after: an ISO 8601 timestamp, UTC without an offset.
                 */
                from?: string;
                /**
                 * Format: date-time
                 * @description At or before: an ISO 8601 timestamp, UTC without an offset.
                 */
                to?: string;
                /** @description The message or the fields contain this text. Covers the newest 10000 that match the other filters. */
                text?: string;
                /** @default 100 */
                limit: number;
                /** @default 0 */
                offset: number;
            };
        };
        LogRecord: {
            /** Format: date-time */
            timestamp: string;
            traceId: string | null;
            spanId: string | null;
            /** @description 1 to 24: 1 trace, 5 debug, 9 info, 13 warn, 17 error, 21 fatal. */
            severityNumber: number;
            severityText: string;
            body: string;
            /** @description The other fields that were logged. */
            attributes: {
                [key: string]: unknown;
            };
        };
        McpServerSummary: {
            id: string;
            name: string;
            /** @description Null for an external server that has not been reached yet. */
            version: string | null;
            description: string;
            transport: "streamable-http" | "stdio";
            /** @description Its address, without credentials; null for a program that this server starts. */
            url: string | null;
            isServedHere: boolean;
        };
        McpToolSummary: {
            name: string;
            description: string;
            /** @description JSON Schema of the arguments. */
            inputSchema: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the structured result, or null. */
            outputSchema: {
                [key: string]: unknown;
            } | null;
        };
        MemorySearchResult: {
            results: {
                messageId: string;
                conversationId: string;
                /** @enum {string} */
                role: "user" | "assistant" | "system" | "tool";
                text: string;
                /** @description Cosine similarity. */
                score: number;
                /** Format: date-time */
                createdAt: string;
            }[];
            count: number;
            query: string;
        };
        MetricPoint: {
            /**
             * Format: date-time
             * @description The start of the interval.
             */
            time: string;
            /** @description Calls of agents, workflows and tools that have ended; a run that continues after a suspension counts again. By agent or workflow: all its runs. By model: its calls. */
            requests: number;
            /** @description Requests that failed. Those that were stopped or refused do not count. */
            errors: number;
            /** @description Requests whose caller has left or stopped them. */
            aborted: number;
            /** @description Requests that a guardrail blocked, or that were not accepted. */
            refused: number;
            inputTokens: number;
            outputTokens: number;
            /** @description The input tokens that came from the cache of a provider. */
            cachedInputTokens: number;
            /** @description In US dollars; null if no model call has a cost. The option `telemetry.prices` of the server sets prices. */
            cost: number | null;
            /** @description Model calls that used tokens and have no cost, because their price is unknown: `cost` lacks them. */
            unpricedCalls: number;
            /** @description The median duration in milliseconds, at most 14 % from the exact value; null without requests. */
            p50Ms: number | null;
            p95Ms: number | null;
        };
        MetricTotals: {
            /** @description Calls of agents, workflows and tools that have ended; a run that continues after a suspension counts again. By agent or workflow: all its runs. By model: its calls. */
            requests: number;
            /** @description Requests that failed. Those that were stopped or refused do not count. */
            errors: number;
            /** @description Requests whose caller has left or stopped them. */
            aborted: number;
            /** @description Requests that a guardrail blocked, or that were not accepted. */
            refused: number;
            inputTokens: number;
            outputTokens: number;
            /** @description The input tokens that came from the cache of a provider. */
            cachedInputTokens: number;
            /** @description In US dollars; null if no model call has a cost. The option `telemetry.prices` of the server sets prices. */
            cost: number | null;
            /** @description Model calls that used tokens and have no cost, because their price is unknown: `cost` lacks them. */
            unpricedCalls: number;
            /** @description The median duration in milliseconds, at most 14 % from the exact value; null without requests. */
            p50Ms: number | null;
            p95Ms: number | null;
        };
        Metrics: {
            /** Format: date-time */
            from: string;
            /**
             * Format: date-time
             * @description Exclusive.
             */
            to: string;
            intervalMs: number;
            /**
             * @default none
             * @enum {string}
             */
            groupBy: "none" | "agent" | "workflow" | "model" | "user";
            totals: components["schemas"]["MetricTotals"];
            /** @description The time of the same length before. */
            previous: {
                /** @description Calls of agents, workflows and tools that have ended; a run that continues after a suspension counts again. By agent or workflow: all its runs. By model: its calls. */
                requests: number;
                /** @description Requests that failed. Those that were stopped or refused do not count. */
                errors: number;
                /** @description Requests whose caller has left or stopped them. */
                aborted: number;
                /** @description Requests that a guardrail blocked, or that were not accepted. */
                refused: number;
                inputTokens: number;
                outputTokens: number;
                /** @description The input tokens that came from the cache of a provider. */
                cachedInputTokens: number;
                /** @description In US dollars; null if no model call has a cost. The option `telemetry.prices` of the server sets prices. */
                cost: number | null;
                /** @description Model calls that used tokens and have no cost, because their price is unknown: `cost` lacks them. */
                unpricedCalls: number;
                /** @description The median duration in milliseconds, at most 14 % from the exact value; null without requests. */
                p50Ms: number | null;
                p95Ms: number | null;
            };
            /** @description One for each interval. */
            points: components["schemas"]["MetricPoint"][];
            /** @description The groups with the most requests first; empty if `groupBy` is `none`. */
            groups: {
                id: string;
                /** @description Calls of agents, workflows and tools that have ended; a run that continues after a suspension counts again. By agent or workflow: all its runs. By model: its calls. */
                requests: number;
                /** @description Requests that failed. Those that were stopped or refused do not count. */
                errors: number;
                /** @description Requests whose caller has left or stopped them. */
                aborted: number;
                /** @description Requests that a guardrail blocked, or that were not accepted. */
                refused: number;
                inputTokens: number;
                outputTokens: number;
                /** @description The input tokens that came from the cache of a provider. */
                cachedInputTokens: number;
                /** @description In US dollars; null if no model call has a cost. The option `telemetry.prices` of the server sets prices. */
                cost: number | null;
                /** @description Model calls that used tokens and have no cost, because their price is unknown: `cost` lacks them. */
                unpricedCalls: number;
                /** @description The median duration in milliseconds, at most 14 % from the exact value; null without requests. */
                p50Ms: number | null;
                p95Ms: number | null;
                /** @description One for each interval. */
                requestsOverTime: number[];
            }[];
            /** @description All further groups; null if there are none. */
            other: {
                /** @description Calls of agents, workflows and tools that have ended; a run that continues after a suspension counts again. By agent or workflow: all its runs. By model: its calls. */
                requests: number;
                /** @description Requests that failed. Those that were stopped or refused do not count. */
                errors: number;
                /** @description Requests whose caller has left or stopped them. */
                aborted: number;
                /** @description Requests that a guardrail blocked, or that were not accepted. */
                refused: number;
                inputTokens: number;
                outputTokens: number;
                /** @description The input tokens that came from the cache of a provider. */
                cachedInputTokens: number;
                /** @description In US dollars; null if no model call has a cost. The option `telemetry.prices` of the server sets prices. */
                cost: number | null;
                /** @description Model calls that used tokens and have no cost, because their price is unknown: `cost` lacks them. */
                unpricedCalls: number;
            } | null;
        };
        ModelMessage: {
            /** @constant */
            role: "system";
            content: string;
            providerOptions?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            } | null;
        } | {
            /** @constant */
            role: "user";
            content: string | ({
                /** @constant */
                type: "text";
                text: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "image";
                image: string | ({
                    /** @constant */
                    type: "data";
                    data: string;
                } | {
                    /** @constant */
                    type: "url";
                    url: string;
                } | {
                    /** @constant */
                    type: "text";
                    text: string;
                } | {
                    /** @constant */
                    type: "reference";
                    reference: {
                        [key: string]: string;
                    };
                });
                mediaType?: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "file";
                data: string | ({
                    /** @constant */
                    type: "data";
                    data: string;
                } | {
                    /** @constant */
                    type: "url";
                    url: string;
                } | {
                    /** @constant */
                    type: "text";
                    text: string;
                } | {
                    /** @constant */
                    type: "reference";
                    reference: {
                        [key: string]: string;
                    };
                });
                mediaType: string;
                filename?: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            })[];
            providerOptions?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            } | null;
        } | {
            /** @constant */
            role: "assistant";
            content: string | ({
                /** @constant */
                type: "text";
                text: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "reasoning";
                text: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "file";
                data: string | ({
                    /** @constant */
                    type: "data";
                    data: string;
                } | {
                    /** @constant */
                    type: "url";
                    url: string;
                } | {
                    /** @constant */
                    type: "text";
                    text: string;
                } | {
                    /** @constant */
                    type: "reference";
                    reference: {
                        [key: string]: string;
                    };
                });
                mediaType: string;
                filename?: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "reasoning-file";
                data: string | ({
                    /** @constant */
                    type: "data";
                    data: string;
                } | {
                    /** @constant */
                    type: "url";
                    url: string;
                } | {
                    /** @constant */
                    type: "text";
                    text: string;
                } | {
                    /** @constant */
                    type: "reference";
                    reference: {
                        [key: string]: string;
                    };
                });
                mediaType: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "custom";
                kind: string;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "tool-call";
                toolCallId: string;
                toolName: string;
                input: unknown;
                providerExecuted?: boolean;
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "tool-result";
                toolCallId: string;
                toolName: string;
                output: {
                    /** @constant */
                    type: "text";
                    value: string;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "json";
                    value: unknown;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "error-text";
                    value: string;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "error-json";
                    value: unknown;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "execution-denied";
                    reason?: string;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "content";
                    value: {
                        type: string;
                    }[];
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                };
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "tool-approval-request";
                approvalId: string;
                toolCallId: string;
                signature?: string;
            })[];
            providerOptions?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            } | null;
        } | {
            /** @constant */
            role: "tool";
            content: ({
                /** @constant */
                type: "tool-result";
                toolCallId: string;
                toolName: string;
                output: {
                    /** @constant */
                    type: "text";
                    value: string;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "json";
                    value: unknown;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "error-text";
                    value: string;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "error-json";
                    value: unknown;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "execution-denied";
                    reason?: string;
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                } | {
                    /** @constant */
                    type: "content";
                    value: {
                        type: string;
                    }[];
                    providerOptions?: {
                        [key: string]: {
                            [key: string]: unknown;
                        };
                    } | null;
                };
                providerOptions?: {
                    [key: string]: {
                        [key: string]: unknown;
                    };
                } | null;
            } | {
                /** @constant */
                type: "tool-approval-response";
                approvalId: string;
                approved: boolean;
                reason?: string;
                /** @description Arguments that replace those of the call, in an approval: any JSON. */
                input?: unknown;
                /** @description The signature of the request, for clients that do not send the request itself back. */
                signature?: string;
                providerExecuted?: boolean;
            })[];
            providerOptions?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            } | null;
        };
        NewConversation: {
            /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
            agentId?: string;
            /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
            userId?: string;
            /** @description Default: a new id. */
            conversationId?: string;
            /** @description Default: the id of the agent, else `default`. */
            resourceId?: string;
            /** @description Default: empty. An agent that creates titles adds one after the first turn. */
            title?: string;
            /** @description Any JSON, stored with the conversation. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        ObjectEvent: {
            /** @constant */
            type: "partial";
            /** @description The part of the object that was generated so far; not validated. */
            object: unknown;
        } | {
            /** @constant */
            type: "object";
            /** @description The complete object, valid for the schema. */
            object: unknown;
            usage: components["schemas"]["Usage"];
        } | {
            /** @constant */
            type: "error";
            error: string;
        };
        ObjectRequest: {
            input: components["schemas"]["AgentInput"];
            /** @description JSON Schema of type object: at most 64 KiB and 32 levels deep, with references to its own subschemas only, and at most 10 000 subschemas when these are followed. */
            schema: {
                [key: string]: unknown;
            };
            options?: components["schemas"]["GenerationOptions"];
        };
        ObservabilityStatus: {
            enabled: boolean;
            /** @description `in-memory`, `postgres`, or null if nothing is recorded. */
            storage: string | null;
            /** @description Whether records outlive the process. */
            persistent: boolean;
            /** @description Path of the WebSocket that sends new records. */
            websocket: string;
            traceCount: number;
            spanCount: number;
            logCount: number;
            message: string;
        };
        PendingSuspension: {
            /** Format: date-time */
            suspendedAt: string;
            reason: string;
            /** @description `approve:3` in a loop. */
            stepId: string;
            /** @description Names this suspension and no later one. Pass it with the resume data, as `options.suspensionId`; lists of approvals take it as their `id`, too. */
            suspensionId: string;
            /**
             * @description `step`: the step waits for resume data. `approval`: a tool call of an agent waits for approval. `request`: it was suspended from outside. `event`: it waits for a published event.
             * @enum {string}
             */
            kind: "step" | "approval" | "request" | "event";
            /** @description Data of the step for the client that resumes it, any JSON. */
            suspendData?: unknown;
            /** @description Position of the top-level step that contains it. */
            stepIndex: number;
        };
        /** @description Data of providers, by the name of the provider. */
        ProviderData: {
            [key: string]: {
                [key: string]: unknown;
            };
        } | null;
        /** @description Data of the provider. Send it back with the message. */
        ProviderMetadata: {
            [key: string]: {
                [key: string]: unknown;
            };
        };
        PublishRequest: {
            name: string;
            /** @description Only executions that wait with this key receive the event; without a key, those that wait without one. */
            key?: string;
            payload?: unknown;
            /** @description A repeated request with the same id publishes nothing. */
            requestId?: string;
        };
        PublishedEvent: {
            eventId: string;
            /** @description How many executions waited for the event and have received it. */
            delivered: number;
        };
        ReplayRequest: {
            stepId: string;
            /** @description Resumes that step with this value. */
            resumeData?: unknown;
            /** @description Replaces the input of its top-level step, and must fit the same schema. Default: the output of the step before. */
            inputData?: unknown;
        };
        ResumeRequest: {
            /** @description Validated by the schema of the step, else that of the workflow. */
            resumeData?: unknown;
            options?: {
                /** @description The suspension that is answered, as results, states and events name it. Required for an approval, and for a step that has asked before. Default: the one of `stepId`. */
                suspensionId?: string;
                /** @description A suspended step, the `approvalId` of a call, or an earlier step to go back to. Default: the earliest suspension. */
                stepId?: string;
                /** @description Gives the steps that run again after going back new idempotency keys, so that they have their effects again. For operators. Default: false. */
                newIdempotencyKeys?: boolean;
            } | null;
        } | null;
        RunRequest: {
            /** @description Validated by the schema of the workflow. */
            input: unknown;
            options?: {
                userId?: string;
                conversationId?: string;
                executionId?: string;
                /** @description Passed to every step. */
                context?: {
                    [key: string]: unknown;
                } | null;
                /** @description The initial state that the steps share. */
                workflowState?: {
                    [key: string]: unknown;
                } | null;
                /** @description Stored with the execution. The list of executions can be filtered by it. */
                metadata?: {
                    [key: string]: unknown;
                } | null;
                /** @description Of executions that wait, those with the highest priority start first. Default: that of the workflow, above which a verified user does not get. */
                priority?: number;
                /** @description Starts it after this delay. Until then its status is `running`. Not for workflows with `debounce` or `throttle`. */
                startAfterMs?: number;
            } | null;
        };
        RunResult: {
            /** @constant */
            status: "completed";
            executionId: string;
            /** Format: date-time */
            startAt: string;
            /** @description Null until it ends. */
            endAt: string | null;
            suspension?: components["schemas"]["SuspensionReport"];
            /** @description Only if suspended: all pending suspensions, the earliest first. */
            suspensions?: components["schemas"]["SuspensionReport"][];
            /** @description Any JSON. */
            result: unknown;
        } | {
            /** @enum {string} */
            status: "running" | "suspended" | "cancelled";
            executionId: string;
            /** Format: date-time */
            startAt: string;
            /** @description Null until it ends. */
            endAt: string | null;
            suspension?: components["schemas"]["SuspensionReport"];
            /** @description Only if suspended: all pending suspensions, the earliest first. */
            suspensions?: components["schemas"]["SuspensionReport"][];
            /** @description Null: the execution is not completed. */
            result: unknown | null;
        };
        SaveMessagesRequest: {
            /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
            agentId?: string;
            /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
            userId?: string;
            conversationId?: string;
            messages: ({
                userId?: string;
                conversationId?: string;
                message: {
                    /** @description Default: a new id. */
                    id?: string;
                    /** @enum {string} */
                    role: "user" | "assistant" | "system" | "tool";
                    metadata?: unknown;
                    parts?: components["schemas"]["UiMessagePart"][];
                    /** @description Alternative to `parts`. A string becomes a text part. */
                    content?: string | components["schemas"]["UiMessagePart"][];
                };
            } | {
                userId?: string;
                conversationId?: string;
                /** @description Default: a new id. */
                id?: string;
                /** @enum {string} */
                role: "user" | "assistant" | "system" | "tool";
                metadata?: unknown;
                parts?: components["schemas"]["UiMessagePart"][];
                /** @description Alternative to `parts`. A string becomes a text part. */
                content?: string | components["schemas"]["UiMessagePart"][];
            })[];
        };
        Span: {
            traceId: string;
            spanId: string;
            parentSpanId: string | null;
            name: string;
            /** @description 0 internal, 1 server, 2 client, 3 producer, 4 consumer. */
            kind: number;
            /** Format: date-time */
            startTime: string;
            /** @description Null until it ends. */
            endTime: string | null;
            durationMs: number | null;
            /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
            attributes: {
                [key: string]: unknown;
            };
            status: {
                /** @description 0 unset, 1 ok, 2 error. */
                code: number;
                message?: string;
            };
            events: {
                name: string;
                /** Format: date-time */
                time: string;
                /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
                attributes?: {
                    [key: string]: unknown;
                };
            }[];
            links: {
                traceId: string;
                spanId: string;
                /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
                attributes?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
            resource: {
                [key: string]: unknown;
            };
            instrumentationScope: {
                name: string;
                version?: string;
            };
        };
        SpanNode: {
            traceId: string;
            spanId: string;
            parentSpanId: string | null;
            name: string;
            /** @description 0 internal, 1 server, 2 client, 3 producer, 4 consumer. */
            kind: number;
            /** Format: date-time */
            startTime: string;
            /** @description Null until it ends. */
            endTime: string | null;
            durationMs: number | null;
            /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
            attributes: {
                [key: string]: unknown;
            };
            status: {
                /** @description 0 unset, 1 ok, 2 error. */
                code: number;
                message?: string;
            };
            events: {
                name: string;
                /** Format: date-time */
                time: string;
                /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
                attributes?: {
                    [key: string]: unknown;
                };
            }[];
            links: {
                traceId: string;
                spanId: string;
                /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
                attributes?: {
                    [key: string]: unknown;
                };
            }[];
            /** @description Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them. */
            resource: {
                [key: string]: unknown;
            };
            instrumentationScope: {
                name: string;
                version?: string;
            };
            children: components["schemas"]["SpanNode"][];
        };
        SpanPage: {
            spans: components["schemas"]["Span"][];
            /** @description The number of spans in this response. */
            count: number;
            /** @description The number of matching spans. */
            total: number;
            /** @description Whether others follow. */
            hasMore: boolean;
        };
        /** @enum {string} */
        StepType: "andThen" | "andWhen" | "andAll" | "andRace" | "andTap" | "andAgent" | "andWorkflow" | "andForEach" | "andBranch" | "andDoWhile" | "andDoUntil" | "andMap" | "andSleep" | "andSleepUntil" | "andGuardrail" | "andTry" | "andWaitForEvent" | "andRun" | "andStart" | "andJoin";
        StopRequest: {
            reason?: string;
        } | null;
        StoredMessage: {
            id: string;
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "tool";
            parts: components["schemas"]["UiMessagePart"][];
            /** @description Any JSON, as it was sent. */
            metadata?: unknown;
            /** Format: date-time */
            createdAt: string;
            feedback?: components["schemas"]["Feedback"];
        };
        StreamRequest: {
            input?: components["schemas"]["AgentInput"];
            messages?: components["schemas"]["UiMessage"][];
            /** @description The input as a text, as `useCompletion` of the AI SDK sends it. */
            prompt?: string;
            id?: string;
            /** @description `regenerate-message`: a new reply replaces everything after the last message of the user. Otherwise nothing that is stored is replaced, unless `messageId` names that message. */
            trigger?: string;
            /** @description The id of the last message, if it is an edit of a stored message: everything after it is replaced. */
            messageId?: string;
            options?: components["schemas"]["GenerationOptions"];
        };
        StreamTicket: {
            /** @description The value of `?ticket=` in the URL of the stream. It is a credential. */
            ticket: string;
            /** Format: date-time */
            expiresAt: string;
        };
        SuspendedExecution: {
            executionId: string;
            /** @constant */
            status: "suspended";
            suspension: {
                /** Format: date-time */
                suspendedAt: string;
                reason: string;
            };
        };
        SuspensionReport: {
            /** Format: date-time */
            suspendedAt: string;
            reason: string;
            /** @description `approve:3` in a loop. */
            stepId: string;
            /** @description Names this suspension and no later one. Pass it with the resume data, as `options.suspensionId`; lists of approvals take it as their `id`, too. */
            suspensionId: string;
            /**
             * @description `step`: the step waits for resume data. `approval`: a tool call of an agent waits for approval. `request`: it was suspended from outside. `event`: it waits for a published event.
             * @enum {string}
             */
            kind: "step" | "approval" | "request" | "event";
            /** @description Data of the step for the client that resumes it, any JSON. */
            suspendData?: unknown;
            /** @description Position of the top-level step that contains it. */
            suspendedStepIndex: number;
        };
        SystemReport: {
            process: {
                /** @description Of @halyard/server-fastify; `0.0.0` when it runs from its sources. */
                version: string;
                node: string;
                environment: "production" | "development";
                /** Format: date-time */
                startedAt: string;
                /** @description Memory of the process. */
                residentBytes: number;
                /** @description Memory of JavaScript objects in use. */
                heapBytes: number;
                /** @description Whether it is shutting down. */
                isDraining: boolean;
            };
            /** @description The work of this process. */
            executions: {
                running: number;
                /** @description For a free slot of this process. */
                waiting: number;
            };
            storage: {
                /** @description Where spans and logs are: `in-memory`, `postgres`; null if nothing is recorded. */
                telemetry: string | null;
                /** @description Whether executions outlive the process. */
                isPersistent: boolean;
                /** @description Connections to the database of this process; null without a pool. */
                pool: {
                    total: number;
                    idle: number;
                    /** @description Calls that wait for a connection. */
                    waiting: number;
                    max: number;
                } | null;
                /** @description Null: nothing is stored outside the process, or the storage does not respond. */
                size: {
                    /** @description On disk, with indexes. */
                    bytes: number;
                    /** @description The largest first. */
                    tables: {
                        name: string;
                        /** @description With indexes and partitions. */
                        bytes: number;
                        /** @description An estimate; null while the database has none. */
                        rows: number | null;
                    }[];
                } | null;
            };
            /** @description The processes that run executions of this storage, and those that have left executions behind. Null: not known. */
            replicas: {
                /** @description The name by which the process claims executions: new at each start. */
                id: string;
                /** @description Whether it is the process that replies. */
                isThis: boolean;
                /** Format: date-time */
                since: string;
                /**
                 * Format: date-time
                 * @description When others take its executions over unless it renews its lease.
                 */
                leaseUntil: string;
                /** @description Whether its lease has run out. */
                isLost: boolean;
                /** @description Root executions that it has claimed. */
                executions: number;
            }[] | null;
            schedules: {
                workflowId: string;
                name: string;
                cron: string;
                timeZone: string;
                missed: "once" | "skip";
                /** @description When it starts the next execution. */
                nextAt: string | null;
            }[];
            /** @description The limits in force, by the name of their option. */
            limits: {
                [key: string]: number;
            };
            /** @description Settings that are a risk in production. */
            warnings: {
                /** @description The option to change. */
                option: string;
                message: string;
            }[];
        };
        TextResult: {
            text: string;
            usage: components["schemas"]["Usage"];
            finishReason: components["schemas"]["FinishReason"];
            toolCalls: components["schemas"]["ToolCall"][];
            toolResults: components["schemas"]["ToolResult"][];
            conversationId?: string;
        };
        ToolApproval: {
            id: string;
            approved?: boolean;
            reason?: string;
            /** @description Arguments that replace those of the call, in an approval: any JSON. */
            input?: unknown;
            signature?: string;
            /** @description Data of the client about the request, any JSON. */
            descriptor?: unknown;
            requestReason?: string;
            isAutomatic?: boolean;
            /** @description Arguments before parsing, any JSON. */
            inputSchemaInput?: unknown;
        } | null;
        ToolCall: {
            toolCallId: string;
            toolName: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
            approvalId?: string;
            signature?: string;
        };
        ToolExecution: {
            toolName: string;
            /** @description Result of the tool, any JSON. */
            result: unknown;
            /** @description Milliseconds. */
            executionTime: number;
            /** Format: date-time */
            timestamp: string;
        };
        ToolExecutionRequest: {
            /** @description Validated by the schema of the tool. */
            input: unknown;
            context?: {
                [key: string]: unknown;
            } | null;
            userId?: string;
            conversationId?: string;
        };
        ToolResult: {
            toolCallId: string;
            toolName: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
            /** @description Result of the tool, any JSON. */
            output: unknown;
        };
        ToolSummary: {
            /** @description What requests call it: `agent/tool` where tools of several agents have the same name. */
            name: string;
            description: string;
            /** @description JSON Schema of the input. */
            inputSchema: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the result, or null. */
            outputSchema: {
                [key: string]: unknown;
            } | null;
            /** @description Whether calls need approval by a person, always or for some inputs. */
            needsApproval: boolean;
            tags: string[];
            agents: {
                id: string;
                name: string;
            }[];
            /**
             * @description `operators`: only the console key may run it. `server`: no request may. Absent: users may.
             * @enum {string}
             */
            access?: "operators" | "server";
            /**
             * @description The client runs the tool.
             * @constant
             */
            clientSide?: true;
        };
        Trace: {
            traceId: string;
            spans: components["schemas"]["Span"][];
            tree: components["schemas"]["SpanNode"][];
            /** @description The number of spans in this response. */
            spanCount: number;
            /** @description Whether others follow. */
            hasMore: boolean;
        };
        TracePage: {
            traces: components["schemas"]["TraceSummary"][];
            /** @description The number of traces in this response. */
            count: number;
            /** @description The number of matching traces. */
            total: number;
            /** @description Whether others follow. */
            hasMore: boolean;
        };
        TraceSummary: {
            traceId: string;
            rootSpan: components["schemas"]["Span"];
            spanCount: number;
            /** Format: date-time */
            startTime: string;
            /** @description Null until it ends. */
            endTime: string | null;
            durationMs: number | null;
            /**
             * @description Of the latest part. `aborted`: the caller has left or stopped it. `refused`: a guardrail blocked it, or its request was not accepted.
             * @enum {string}
             */
            status: "running" | "ok" | "error" | "aborted" | "refused";
            entityId: string | null;
            entityType: string | null;
            /** @description The models that were called. */
            models: string[];
            /** @description Of all model calls. */
            inputTokens: number;
            outputTokens: number;
            /** @description US dollars of all model calls; null if none carries a cost. */
            cost: number | null;
            /** @description Of a trace with the status `error`: the first span that failed by itself, and why. */
            failure?: {
                message: string;
                spanId: string;
            };
            /** @description How many ratings its replies have. Absent without any. */
            feedback?: {
                up: number;
                down: number;
            };
        };
        TrialRequest: {
            /** @description The system prompt. Default: that of the agent. */
            instructions?: string;
            messages: components["schemas"]["ModelMessage"][];
            /** @description The tools that the model may propose to call. Default: none. */
            tools?: {
                name: string;
                description?: string;
                /** @description The JSON Schema of the arguments, as the model gets it. */
                inputSchema: {
                    [key: string]: unknown;
                };
            }[];
            /** @description The id of a model of any agent, or one that the `providers` of this agent know. Default: the model of the agent. */
            model?: string;
            settings?: {
                temperature?: number;
                maxOutputTokens?: number;
                topP?: number;
                frequencyPenalty?: number;
                presencePenalty?: number;
                seed?: number;
                stopSequences?: string[];
            };
        };
        TrialResult: {
            text: string;
            reasoning: string | null;
            /** @description The calls that the model proposes. None was run. */
            toolCalls: components["schemas"]["ToolCall"][];
            finishReason: components["schemas"]["FinishReason"];
            usage: components["schemas"]["Usage"];
            /** @description The model that replied. */
            model: string;
            durationMs: number;
            /** @description In US dollars; null if it is unknown. */
            cost: number | null;
        };
        UiMessage: {
            id?: string;
            /** @enum {string} */
            role: "system" | "user" | "assistant";
            /** @description Metadata of the app, any JSON. */
            metadata?: unknown;
            parts: components["schemas"]["UiMessagePart"][];
        };
        /** @description A chunk of the AI SDK UI message stream (`x-vercel-ai-ui-message-stream: v1`). `data: [DONE]` follows the last one. */
        UiMessageChunk: {
            /** @constant */
            type: "start";
            messageId: string;
            /** @description Added to the metadata of the message, by the agent's `messageMetadata`. By default, `finish` has `usage` and `modelId`. */
            messageMetadata?: unknown;
        } | {
            /** @constant */
            type: "start-step";
        } | {
            /** @constant */
            type: "text-start";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "text-delta";
            id: string;
            delta: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "text-end";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            citations?: components["schemas"]["Citation"][];
        } | {
            /** @constant */
            type: "reasoning-start";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "reasoning-delta";
            id: string;
            delta: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "reasoning-end";
            id: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "tool-input-start";
            toolCallId: string;
            dynamic?: boolean;
            providerExecuted?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            toolName: string;
            title?: string;
        } | {
            /** @constant */
            type: "tool-input-delta";
            toolCallId: string;
            inputTextDelta: string;
        } | {
            /** @constant */
            type: "tool-input-available";
            toolCallId: string;
            dynamic?: boolean;
            providerExecuted?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            toolName: string;
            title?: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
        } | {
            /** @constant */
            type: "tool-input-error";
            toolCallId: string;
            dynamic?: boolean;
            providerExecuted?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            toolName: string;
            title?: string;
            /** @description Arguments of the tool, any JSON. */
            input: unknown;
            errorText: string;
        } | {
            /** @constant */
            type: "tool-approval-request";
            approvalId: string;
            toolCallId: string;
            signature?: string;
        } | {
            /** @constant */
            type: "tool-approval-response";
            approvalId: string;
            approved: boolean;
            reason?: string;
        } | {
            /** @constant */
            type: "tool-output-available";
            toolCallId: string;
            dynamic?: boolean;
            providerExecuted?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            /** @description Result of the tool, any JSON. */
            output: unknown;
            preliminary?: boolean;
        } | {
            /** @constant */
            type: "tool-output-error";
            toolCallId: string;
            dynamic?: boolean;
            providerExecuted?: boolean;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
            errorText: string;
        } | {
            /** @constant */
            type: "tool-output-denied";
            toolCallId: string;
        } | {
            /** @constant */
            type: "source-url";
            sourceId: string;
            url: string;
            title?: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "source-document";
            sourceId: string;
            mediaType: string;
            title: string;
            filename?: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "file";
            url: string;
            mediaType: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "reasoning-file";
            url: string;
            mediaType: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "custom";
            kind: string;
            providerMetadata?: components["schemas"]["ProviderMetadata"];
        } | {
            /** @constant */
            type: "data-agent-event";
            data: {
                agentId: string;
                /** @description From the called agent to the sub-agent that emits the event. */
                agentPath: string[];
                /** @description The call that started the sub-agent. */
                parentToolCallId: string;
                event: components["schemas"]["AgentEvent"];
            };
            /** @constant */
            transient: true;
        } | {
            /** @constant */
            type: "data-summary";
            /** @description Older messages of the conversation were summarised. */
            data: {
                message: {
                    id: string;
                    /** @constant */
                    role: "system";
                    parts: {
                        /** @constant */
                        type: "text";
                        text: string;
                    }[];
                    metadata: {
                        summary: {
                            /**
                             * Format: date-time
                             * @description The time of the last message that it stands for.
                             */
                            until: string;
                            /** @description How many messages it stands for. */
                            messages: number;
                        };
                    };
                };
            };
            /** @constant */
            transient: true;
        } | {
            type: string;
            /** @description It replaces an earlier part of the message that has its type and its id. */
            id?: string;
            /** @description The data of a tool for the client, any JSON. */
            data: unknown;
            /** @description It is not part of the message. */
            transient?: boolean;
        } | {
            /** @constant */
            type: "finish-step";
        } | {
            /** @constant */
            type: "finish";
            finishReason: components["schemas"]["FinishReason"];
            /** @description Added to the metadata of the message, by the agent's `messageMetadata`. By default, `finish` has `usage` and `modelId`. */
            messageMetadata?: unknown;
        } | {
            /** @constant */
            type: "abort";
            reason?: string;
        } | {
            /** @constant */
            type: "error";
            errorText: string;
        };
        UiMessagePart: {
            /** @constant */
            type: "text";
            text: string;
            citations?: components["schemas"]["Citation"][];
            state?: "streaming" | "done";
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "reasoning";
            id?: string;
            text: string;
            state?: "streaming" | "done";
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "file";
            mediaType: string;
            /** @description A `data:` URL, or an http(s) URL of a public address. */
            url: string;
            filename?: string;
            providerReference?: {
                [key: string]: string;
            } | null;
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "reasoning-file";
            mediaType: string;
            url: string;
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "step-start";
        } | {
            /** @constant */
            type: "source-url";
            sourceId: string;
            url: string;
            title?: string;
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "source-document";
            sourceId: string;
            mediaType: string;
            title: string;
            filename?: string;
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "custom";
            kind: string;
            providerMetadata?: components["schemas"]["ProviderData"];
        } | {
            /** @constant */
            type: "steering-message";
            id: string;
            parts: ({
                /** @constant */
                type: "text";
                text: string;
                citations?: components["schemas"]["Citation"][];
                state?: "streaming" | "done";
                providerMetadata?: components["schemas"]["ProviderData"];
            } | {
                /** @constant */
                type: "file";
                mediaType: string;
                /** @description A `data:` URL, or an http(s) URL of a public address. */
                url: string;
                filename?: string;
                providerReference?: {
                    [key: string]: string;
                } | null;
                providerMetadata?: components["schemas"]["ProviderData"];
            })[];
        } | ({
            /** @constant */
            type: "dynamic-tool";
            toolName: string;
            dynamic?: boolean;
            toolCallId: string;
            /** @enum {string} */
            state: "input-streaming" | "input-available" | "approval-requested" | "approval-responded" | "output-available" | "output-error" | "output-denied";
            title?: string;
            /** @description Metadata of the tool. */
            toolMetadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Arguments of the tool, any JSON. */
            input?: unknown;
            /** @description Unparsed arguments of the model, any JSON. */
            rawInput?: unknown;
            inputEncoding?: "json" | "text";
            /** @description Result of the tool, any JSON. */
            output?: unknown;
            preliminary?: boolean;
            errorText?: string;
            approval?: components["schemas"]["ToolApproval"];
            providerExecuted?: boolean;
            callProviderMetadata?: components["schemas"]["ProviderData"];
            resultProviderMetadata?: components["schemas"]["ProviderData"];
        } & (unknown & unknown & unknown & unknown)) | ({
            type: string;
            toolCallId: string;
            /** @enum {string} */
            state: "input-streaming" | "input-available" | "approval-requested" | "approval-responded" | "output-available" | "output-error" | "output-denied";
            title?: string;
            /** @description Metadata of the tool. */
            toolMetadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Arguments of the tool, any JSON. */
            input?: unknown;
            /** @description Unparsed arguments of the model, any JSON. */
            rawInput?: unknown;
            inputEncoding?: "json" | "text";
            /** @description Result of the tool, any JSON. */
            output?: unknown;
            preliminary?: boolean;
            errorText?: string;
            approval?: components["schemas"]["ToolApproval"];
            providerExecuted?: boolean;
            callProviderMetadata?: components["schemas"]["ProviderData"];
            resultProviderMetadata?: components["schemas"]["ProviderData"];
        } & (unknown & unknown & unknown & unknown)) | {
            type: string;
            id?: string;
            /** @description Data of the app, any JSON. */
            data?: unknown;
        };
        Usage: {
            promptTokens: number;
            completionTokens: number;
            totalTokens: number;
            cachedInputTokens: number;
            reasoningTokens: number;
        };
        UserRecord: {
            /** @constant */
            type: "conversation";
            conversation: components["schemas"]["Conversation"];
            /** @description Its working memory, if it has one. */
            workingMemory?: unknown;
        } | {
            /** @constant */
            type: "message";
            conversationId: string;
            message: components["schemas"]["StoredMessage"];
        } | {
            /** @constant */
            type: "working-memory";
            /** @description The working memory of the user, in all conversations. */
            content: unknown;
        } | {
            /** @constant */
            type: "execution";
            /** @description An execution or one of its sub-workflows, as `GET …/state` returns it. */
            execution: {
                [key: string]: unknown;
            };
            events: {
                [key: string]: unknown;
            }[];
        } | {
            /** @constant */
            type: "approval-grant";
            grant: components["schemas"]["ApprovalGrant"];
        } | {
            /** @constant */
            type: "span";
            span: components["schemas"]["Span"];
        } | {
            /** @constant */
            type: "log";
            log: components["schemas"]["LogRecord"];
        } | {
            /** @constant */
            type: "error";
            /** @description The export could not be completed. */
            error: string;
        };
        WaitingStep: {
            /** Format: date-time */
            suspendedAt: string;
            reason: string;
            /** @description `approve:3` in a loop. */
            stepId: string;
            /** @description Names this suspension and no later one. Pass it with the resume data, as `options.suspensionId`; lists of approvals take it as their `id`, too. */
            suspensionId: string;
            /**
             * @description `step`: the step waits for resume data. `approval`: a tool call of an agent waits for approval. `request`: it was suspended from outside. `event`: it waits for a published event.
             * @enum {string}
             */
            kind: "step" | "approval" | "request" | "event";
            /** @description Data of the step for the client that resumes it, any JSON. */
            suspendData?: unknown;
            /** @description Position of the top-level step that contains it. */
            stepIndex: number;
            /** @description The execution that waits: this one, or one of its sub-workflows. */
            executionId: string;
            /** @description The event that it waits for. */
            event?: {
                name: string;
                key: string | null;
            };
            /** @description JSON Schema of the resume data. Absent: any JSON, and for `request` none. */
            resumeSchema?: {
                [key: string]: unknown;
            };
        };
        WebhookDelivery: {
            /** @description Also the header `webhook-id` */
            id: string;
            url: string;
            /** @enum {string} */
            type: "approval.requested" | "approval.settled" | "execution.suspended" | "execution.completed" | "execution.failed" | "execution.quarantined" | "answer.finished";
            /** @description When it happened */
            at: string;
            /** @description The ids that the request contains, and how a request was answered */
            data: {
                agentId?: string;
                answeredBy?: string;
                approvalId?: string;
                approved?: boolean;
                conversationId?: string;
                executionId?: string;
                /** @constant */
                expired?: true;
                outcome?: string;
                reason?: string;
                userId?: string;
                workflowId?: string;
            };
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            /** @description When it is sent next; null unless it is pending */
            dueAt: string | null;
            /** @description When it was sent last */
            attemptedAt: string | null;
            /** @description The status of the last reply */
            replyStatus: number | null;
            /** @description Why it failed last */
            error: string | null;
        };
        WebhookEndpoint: {
            url: string;
            events: ("approval.requested" | "approval.settled" | "execution.suspended" | "execution.completed" | "execution.failed" | "execution.quarantined" | "answer.finished")[];
            /** @description When it replied that it is gone (410). Redelivering enables it */
            disabledAt: string | null;
        };
        WorkflowDetail: {
            id: string;
            name: string;
            purpose: string;
            /** @description The number of top-level steps. */
            stepsCount: number;
            /**
             * @description Always idle. Executions have their own status.
             * @constant
             */
            status: "idle";
            /**
             * @description `operators`: only the console key may run it. `server`: no request may. Absent: users may.
             * @enum {string}
             */
            access?: "operators" | "server";
            steps: components["schemas"]["WorkflowStep"][];
            /** @description JSON Schema of the input, or null. */
            inputSchema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema of the result, or null. */
            resultSchema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema of the suspend data of its steps, or null. */
            suspendSchema: {
                [key: string]: unknown;
            } | null;
            /** @description JSON Schema of the resume data of its steps, or null. */
            resumeSchema: {
                [key: string]: unknown;
            } | null;
            /** @description Earlier steps, whose executions may not have finished. Absent: none. */
            versions?: {
                steps: components["schemas"]["WorkflowStep"][];
                /** @description Whether its executions continue with the current steps. Otherwise they keep their own. */
                isReplaced: boolean;
            }[];
            /** @description Executions with the highest priority start first. Absent: 0. */
            priority?: number;
            /** @description Absent: unlimited. */
            concurrency?: {
                /** @description How many executions run at the same time. */
                limit: number;
                /** @description Whether each key, such as a tenant, counts by itself. */
                isPerKey: boolean;
            };
            /** @description Absent: unlimited. */
            throttle?: {
                /** @description How many executions start within the period. */
                limit: number;
                periodMs: number;
                /** @description Whether each key, such as a tenant, counts by itself. */
                isPerKey: boolean;
            };
            /** @description Absent: any number of executions. */
            singleton?: {
                /**
                 * @description A start while another execution has not ended: it is refused, or cancels that one.
                 * @enum {string}
                 */
                onBusy: "skip" | "cancel-running";
                /** @description Whether each key, such as a tenant, counts by itself. */
                isPerKey: boolean;
            };
            /** @description Absent: each start runs. */
            debounce?: {
                /** @description How long an execution waits for later starts, which cancel it. */
                delayMs: number;
                /** @description The longest time from the first start until one runs. */
                maxDelayMs?: number;
                /** @description Whether each key, such as a tenant, counts by itself. */
                isPerKey: boolean;
            };
        };
        /** @description One event of an execution. A `workflow-result` is the last one each time the execution is suspended or ends. */
        WorkflowEvent: {
            /** @constant */
            type: "workflow-start";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            /** @description Input of the execution, any JSON. */
            input: unknown;
        } | {
            /** @constant */
            type: "step-start";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            stepType: components["schemas"]["StepType"];
            /** @description Position of the top-level step that contains it. */
            stepIndex: number;
            /** @description Input of the step, any JSON. */
            input: unknown;
        } | {
            /** @constant */
            type: "step-complete";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            stepType: components["schemas"]["StepType"];
            /** @description Position of the top-level step that contains it. */
            stepIndex: number;
            status: "success" | "skipped";
            /** @description Output of the step, any JSON. */
            output: unknown;
        } | {
            /** @constant */
            type: "step-error";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            error: string;
        } | {
            /** @constant */
            type: "step-compensated";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
        } | {
            /** @constant */
            type: "step-compensation-error";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            error: string;
        } | {
            /** @constant */
            type: "step-retry";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            attempt: number;
            error: string;
            delayMs: number;
        } | {
            /** @constant */
            type: "workflow-suspended";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            suspension: components["schemas"]["SuspensionReport"];
        } | {
            /** @constant */
            type: "workflow-cancelled";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            reason: string;
        } | {
            /** @constant */
            type: "workflow-error";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            error: components["schemas"]["ExecutionError"];
        } | {
            /** @constant */
            type: "workflow-complete";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            /** @description Result of the execution, any JSON. */
            output: unknown;
        } | {
            /** @constant */
            type: "workflow-result";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            /** @constant */
            status: "completed";
            /** @description Any JSON. */
            result: unknown;
            /** Format: date-time */
            startAt: string;
            endAt: string | null;
            suspension?: components["schemas"]["SuspensionReport"];
            error?: components["schemas"]["ExecutionError"];
        } | {
            /** @constant */
            type: "workflow-result";
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            /** @enum {string} */
            status: "suspended" | "error" | "cancelled";
            result: null;
            /** Format: date-time */
            startAt: string;
            endAt: string | null;
            suspension?: components["schemas"]["SuspensionReport"];
            error?: components["schemas"]["ExecutionError"];
        } | ({
            type: string;
            /** @description Without gaps. Also the `id` of the SSE frame. */
            seq: number;
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
        } & {
            [key: string]: unknown;
        }) | {
            /** @constant */
            type: "agent-event";
            executionId: string;
            /** @description Id of the step (`approve:3` in a loop), or of the workflow for `workflow-*`. */
            from: string;
            /** Format: date-time */
            timestamp: string;
            event: components["schemas"]["AgentEvent"];
        } | {
            /** @constant */
            type: "error";
            error: string;
        };
        WorkflowStep: {
            id: string;
            name: string;
            type: components["schemas"]["StepType"];
            purpose: string;
            /** @description JSON Schema of the input. */
            inputSchema?: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the output. */
            outputSchema?: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the suspend data. */
            suspendSchema?: {
                [key: string]: unknown;
            };
            /** @description JSON Schema of the resume data. */
            resumeSchema?: {
                [key: string]: unknown;
            };
            /** @description The id of the workflow that the step runs. */
            workflowId?: string;
            /** @description The id of the agent that the step runs. */
            agentId?: string;
            /** @description The id of the workflow that the step starts. */
            starts?: string;
            /** @description The name of the event that the step waits for. */
            event?: string;
            /**
             * @description The user of the execution may publish the event, too.
             * @constant
             */
            eventFrom?: "owner";
            /** @description How long the step waits for its event. */
            timeoutMs?: number;
            /** @description Whether the step can be undone when the workflow fails or is cancelled. */
            compensates?: boolean;
            /**
             * @description The role of this step in the `andTry` around it. Absent for the step that is tried.
             * @enum {string}
             */
            role?: "catch" | "finally";
            steps?: components["schemas"]["WorkflowStep"][];
        };
        WorkflowSummary: {
            id: string;
            name: string;
            purpose: string;
            /** @description The number of top-level steps. */
            stepsCount: number;
            /**
             * @description Always idle. Executions have their own status.
             * @constant
             */
            status: "idle";
            /**
             * @description `operators`: only the console key may run it. `server`: no request may. Absent: users may.
             * @enum {string}
             */
            access?: "operators" | "server";
        };
        WorkingMemory: {
            /** @description A string, or an object if the memory has a schema for it; null if nothing is stored. */
            content: string | {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            scope: "conversation" | "user";
            /** @enum {string} */
            format: "markdown" | "json";
            template: string | null;
            /** @description The JSON Schema of the content; null for a text. */
            schema: {
                [key: string]: unknown;
            } | null;
        };
        WorkingMemoryUpdate: {
            /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
            agentId?: string;
            /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
            userId?: string;
            content: string | {
                [key: string]: unknown;
            };
            /**
             * @description Default: `replace`. `append`: a string is added after a blank line; an object is merged deeply, and its arrays are concatenated without duplicates.
             * @enum {string}
             */
            mode?: "replace" | "append";
            /**
             * @description Default: the scope of the memory.
             * @enum {string}
             */
            scope?: "conversation" | "user";
            /** @description The content that the client has read. Refused with 409 (`WORKING_MEMORY_CHANGED`) if it has changed since. Default: written in any case. */
            expected?: string | {
                [key: string]: unknown;
            } | null;
        };
        /** @description The body of every failure */
        Failure: {
            /** @constant */
            success: false;
            /** @description One readable sentence */
            error: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["AgentSummary"][];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["AgentSummary"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Catalog"];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Identity"];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getAgentHistory: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                userId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["AgentHistory"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    generateText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerationRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["TextResult"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    streamText: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StreamRequest"];
            };
        };
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["AgentEvent"];
                    "text/plain": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    generateObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ObjectRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description The object, which fits the schema that was sent. */
                        data: {
                            [key: string]: unknown;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    streamObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ObjectRequest"];
            };
        };
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ObjectEvent"];
                    "text/plain": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    tryModelCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrialRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["TrialResult"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    chat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatRequest"];
            };
        };
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    "x-vercel-ai-ui-message-stream"?: "v1";
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["UiMessageChunk"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    resumeChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    "x-vercel-ai-ui-message-stream"?: "v1";
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["UiMessageChunk"];
                };
            };
            /** @description The conversation has no live reply that is resumable */
            204: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    stopChat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description Whether there was a reply to stop */
                            stopped: boolean;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    giveFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Feedback"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listWorkflows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["WorkflowSummary"][];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["WorkflowDetail"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    publishWorkflowEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["PublishedEvent"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    executeWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["RunResult"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    streamWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id": string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["WorkflowEvent"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listExecutions: {
        parameters: {
            query?: {
                /** @description Default: all workflows except those of the framework, whose ids begin with `halyard:`. */
                workflowId?: string;
                /** @description List the executions of sub-workflows of this execution. Default: executions without a parent. */
                parentExecutionId?: string;
                status?: components["schemas"]["ExecutionStatus"];
                /** @description Only executions that were suspended because no process could run them: each one that tried died. */
                quarantined?: true;
                /** @description Created at or after: an ISO 8601 timestamp, UTC without an offset. */
                from?: string;
                /** @description Created at or before: an ISO 8601 timestamp, UTC without an offset. */
                to?: string;
                userId?: string;
                /** @description A URL-encoded JSON object. The metadata must contain each of its fields. For one field: `metadata.<key>=<value>`, where the value is parsed as JSON if possible, else it is text. */
                metadata?: string;
                /** @description Leaves out the events: the list is shorter, and is read faster. */
                events?: false;
                /** @description The id of the last execution of the previous page: the list continues with the one before it. Unlike `offset`, its cost does not grow, and new executions shift nothing. */
                after?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ExecutionRecord"][];
                        /** @description Whether others follow in the list. */
                        hasMore: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getExecutionState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ExecutionState"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ExecutionState"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    followExecution: {
        parameters: {
            query?: {
                /** @description `seq` of the last received event. Default: all events are sent. */
                from?: number;
            };
            header?: {
                /** @description `id` of the last received event. */
                "last-event-id"?: number;
            };
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["WorkflowEvent"];
                };
            };
            /** @description The execution has ended, and has no event after this one */
            204: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    suspendExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StopRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["SuspendedExecution"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    resumeExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["RunResult"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    retryExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["RunResult"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    cancelExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StopRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CancelledExecution"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    terminateExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StopRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["CancelledExecution"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    replayExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["RunResult"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the execution, once it has been created */
                    "x-execution-id"?: string;
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listOwnExecutions: {
        parameters: {
            query?: {
                /** @description Default: all workflows except those of the framework, whose ids begin with `halyard:`. */
                workflowId?: string;
                /** @description List the executions of sub-workflows of this execution. Default: executions without a parent. */
                parentExecutionId?: string;
                status?: components["schemas"]["ExecutionStatus"];
                /** @description Only executions that were suspended because no process could run them: each one that tried died. */
                quarantined?: true;
                /** @description Created at or after: an ISO 8601 timestamp, UTC without an offset. */
                from?: string;
                /** @description Created at or before: an ISO 8601 timestamp, UTC without an offset. */
                to?: string;
                userId?: string;
                /** @description A URL-encoded JSON object. The metadata must contain each of its fields. For one field: `metadata.<key>=<value>`, where the value is parsed as JSON if possible, else it is text. */
                metadata?: string;
                /** @description Leaves out the events: the list is shorter, and is read faster. */
                events?: false;
                /** @description The id of the last execution of the previous page: the list continues with the one before it. Unlike `offset`, its cost does not grow, and new executions shift nothing. */
                after?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ExecutionRecord"][];
                        /** @description Whether others follow in the list. */
                        hasMore: boolean;
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewExecutionEvents: {
        parameters: {
            query?: {
                /** @description `seq` of the last received event. Default: all events are sent. */
                from?: number;
            };
            header?: {
                /** @description `id` of the last received event. */
                "last-event-id"?: number;
            };
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["WorkflowEvent"];
                };
            };
            /** @description The execution has ended, and has no event after this one */
            204: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createStreamTicket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["StreamTicket"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    previewBulkOperation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkSelection"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BulkPreview"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    startBulkOperation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BulkOperation"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getBulkOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bulkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BulkOperation"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    cancelBulkOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bulkId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StopRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["BulkOperation"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ToolSummary"][];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    executeTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolExecutionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ToolExecution"];
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                /** @description Default: the `agentId` of the query, else any. */
                resourceId?: string;
                orderBy?: "created_at" | "updated_at" | "title";
                /** @description `ASC` or `DESC`, in any case. */
                orderDirection?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversations: components["schemas"]["Conversation"][];
                            /** @description The number of conversations on all pages. */
                            total: number;
                            limit: number;
                            offset: number;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    createConversation: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewConversation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getConversation: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteConversation: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            deleted: true;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateConversation: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConversationChange"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    cloneConversation: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConversationClone"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                            messageCount: number;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                limit?: number;
                /** @description Written before: an ISO 8601 timestamp, UTC without an offset. */
                before?: string;
                /** @description Written after: an ISO 8601 timestamp, UTC without an offset. */
                after?: string;
                /** @description A comma-separated list of `user`, `assistant`, `system`, `tool`. Default: all. */
                roles?: string;
                /** @description Whether the page also has messages that a branch of the conversation has left out. They begin with a part `{ "type": "custom", "kind": "halyard.inactive" }`. Default: false. */
                includeInactive?: boolean;
                /** @description Whether replies have the rating that the caller gave them. Default: false. */
                includeFeedback?: boolean;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                            messages: components["schemas"]["StoredMessage"][];
                            /** @description Whether older messages match too. */
                            hasMore: boolean;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    saveMessages: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveMessagesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            saved: number;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteMessages: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteMessagesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description The number of deleted messages. */
                            deleted: number;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getWorkingMemory: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                /** @description Default: the scope of the memory. */
                scope?: "conversation" | "user";
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["WorkingMemory"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    updateWorkingMemory: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkingMemoryUpdate"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            updated: true;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    searchMemory: {
        parameters: {
            query: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                /** @description The text to search for. */
                searchQuery: string;
                conversationId?: string;
                limit?: number;
                /** @description Minimum score. */
                threshold?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["MemorySearchResult"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    exportUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["UserRecord"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["DeletedUser"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewConversations: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                /** @description Default: the `agentId` of the query, else any. */
                resourceId?: string;
                orderBy?: "created_at" | "updated_at" | "title";
                /** @description `ASC` or `DESC`, in any case. */
                orderDirection?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversations: components["schemas"]["Conversation"][];
                            /** @description The number of conversations on all pages. */
                            total: number;
                            limit: number;
                            offset: number;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewConversation: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewMessages: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                limit?: number;
                /** @description Written before: an ISO 8601 timestamp, UTC without an offset. */
                before?: string;
                /** @description Written after: an ISO 8601 timestamp, UTC without an offset. */
                after?: string;
                /** @description A comma-separated list of `user`, `assistant`, `system`, `tool`. Default: all. */
                roles?: string;
                /** @description Whether the page also has messages that a branch of the conversation has left out. They begin with a part `{ "type": "custom", "kind": "halyard.inactive" }`. Default: false. */
                includeInactive?: boolean;
                /** @description Whether replies have the rating that the caller gave them. Default: false. */
                includeFeedback?: boolean;
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            conversation: components["schemas"]["Conversation"];
                            messages: components["schemas"]["StoredMessage"][];
                            /** @description Whether older messages match too. */
                            hasMore: boolean;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewWorkingMemory: {
        parameters: {
            query?: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                /** @description Default: the scope of the memory. */
                scope?: "conversation" | "user";
            };
            header?: never;
            path: {
                conversationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["WorkingMemory"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewMemorySearch: {
        parameters: {
            query: {
                /** @description Use the memory of this agent. Default: the memory of the server, else that of the only agent with one. */
                agentId?: string;
                /** @description Use the conversations of this user. Optional for a verified user, who cannot name another user. */
                userId?: string;
                /** @description The text to search for. */
                searchQuery: string;
                conversationId?: string;
                limit?: number;
                /** @description Minimum score. */
                threshold?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["MemorySearchResult"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    viewUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["UserRecord"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            approvals: components["schemas"]["Approval"][];
                            /** @description Whether further executions are suspended, or further conversations of others wait. */
                            hasMore: boolean;
                        };
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    answerApproval: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalAnswer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            accepted: true;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listOwnApprovals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            approvals: components["schemas"]["Approval"][];
                            /** @description Whether further executions are suspended, or further conversations of others wait. */
                            hasMore: boolean;
                        };
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    answerOwnApproval: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalAnswer"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            accepted: true;
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listApprovalGrants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            grants: components["schemas"]["ApprovalGrant"][];
                            /** @description Whether there are older ones. */
                            hasMore: boolean;
                        };
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listOwnApprovalGrants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            grants: components["schemas"]["ApprovalGrant"][];
                            /** @description Whether there are older ones. */
                            hasMore: boolean;
                        };
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    revokeApprovalGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            revoked: true;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    revokeOwnApprovalGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            revoked: true;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    openAnswerLink: {
        parameters: {
            query?: {
                /** @description The token of the link. */
                token?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link is not valid, or its request does not wait */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The storage does not respond */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    useAnswerLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description The token of the link. */
                    token?: unknown;
                    /** @description Proves that the page has shown the request. */
                    form?: unknown;
                    /** @description `approve` or `decline`. */
                    decision?: unknown;
                    /** @description Why; the model reads it. */
                    reason?: unknown;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link is not valid, or its request does not wait */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Another answer was accepted before */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The answer is not valid */
            422: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The storage does not respond */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description The id of a user who acted */
                actor?: string;
                /** @description Such as `execution.cancel` */
                action?: string;
                /** @description The id of an execution, a conversation, an approval or a user */
                target?: string;
                /** @description An ISO 8601 timestamp: records from then on */
                from?: string;
                /** @description An ISO 8601 timestamp: records before it */
                to?: string;
                /** @description `nextCursor` of the previous page */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            records: components["schemas"]["AuditRecord"][];
                            /** @description Continue with `after`; null on the last page */
                            nextCursor: string | null;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description The id of a user who acted */
                actor?: string;
                /** @description Such as `execution.cancel` */
                action?: string;
                /** @description The id of an execution, a conversation, an approval or a user */
                target?: string;
                /** @description An ISO 8601 timestamp: records from then on */
                from?: string;
                /** @description An ISO 8601 timestamp: records before it */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A stream of events. The schema describes one event: the JSON of one `data:` line. It accepts every text, and so the stream as a whole. */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["AuditRecord"] | {
                        /** @constant */
                        type: "error";
                        error: string;
                    };
                    "text/plain": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Only those of this endpoint */
                url?: string;
                status?: "pending" | "delivered" | "failed";
                /** @description `nextCursor` of the previous page */
                before?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            endpoints: components["schemas"]["WebhookEndpoint"][];
                            deliveries: components["schemas"]["WebhookDelivery"][];
                            /** @description Continue with `before`; null on the last page */
                            nextCursor: number | null;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @constant */
                            redelivered: true;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    receiveWebhook: {
        parameters: {
            query?: never;
            header?: {
                "webhook-id"?: string;
                /** @description Seconds since the epoch */
                "webhook-timestamp"?: string;
                "webhook-signature"?: string;
            };
            path: {
                hookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** @description The execution that it has started */
                            executionId: string | null;
                            /** @description The event that it has published */
                            eventId: string | null;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getObservabilityStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["ObservabilityStatus"];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listTraces: {
        parameters: {
            query?: {
                entityId?: string;
                entityType?: "agent" | "workflow" | "tool";
                /** @description Of the latest part. `aborted`: the caller has left or stopped it. `refused`: a guardrail blocked it, or its request was not accepted. */
                status?: "running" | "ok" | "error" | "aborted" | "refused";
                userId?: string;
                /** @description Started at or after: an ISO 8601 timestamp, UTC without an offset. */
                from?: string;
                /** @description Started at or before: an ISO 8601 timestamp, UTC without an offset. */
                to?: string;
                /** @description One of their spans contains this text: its name, input, output, arguments, error and other attributes. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                text?: string;
                /** @description With a run of this agent, also a delegated one. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                agentId?: string;
                /** @description With a call of this tool. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                toolName?: string;
                /** @description With a call of this model, as metrics name it. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                model?: string;
                /** @description Took at least as long, and have ended. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                minDurationMs?: number;
                /** @description Used at least as many tokens, input and output together. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                minTokens?: number;
                /** @description Cost at least as many US dollars. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                minCost?: number;
                /** @description A person has given this rating to a reply. Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                feedback?: "up" | "down";
                /** @description The greatest first. Other than `startTime`: Covers the newest 2000 that match `entityId`, `entityType`, `status`, `userId` and the times. */
                sort?: "startTime" | "duration" | "tokens" | "cost";
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["TracePage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getTrace: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description `outline`: `tree` is empty, and the spans have no prompts, replies, arguments and results, so that long traces load quickly. `steps`: `tree` is empty, and the calls of models have no prompts and no tools, which each call of a run repeats. */
                view?: "full" | "outline" | "steps";
            };
            header?: never;
            path: {
                traceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Trace"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listSpans: {
        parameters: {
            query?: {
                entityType?: "agent" | "workflow" | "tool";
                entityId?: string;
                /** @description Only calls of this model, as metrics name it. */
                model?: string;
                /** @description `ended`: every other than `running`, as metrics count them. */
                status?: "running" | "ok" | "error" | "aborted" | "refused" | "ended";
                /** @description Only entries: requests, and continuations of suspended runs. */
                entry?: true;
                userId?: string;
                /** @description Started at or after: an ISO 8601 timestamp, UTC without an offset. */
                from?: string;
                /** @description Started at or before: an ISO 8601 timestamp, UTC without an offset. */
                to?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["SpanPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getSpan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                spanId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Span"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listTraceLogs: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                traceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["LogPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listSpanLogs: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                spanId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["LogPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    queryLogs: {
        parameters: {
            query?: {
                traceId?: string;
                spanId?: string;
                /** @description In any case, such as `WARN` or `error`. */
                severityText?: string;
                severityNumber?: number;
                /** @description At or after: an ISO 8601 timestamp, UTC without an offset. */
                from?: string;
                /** @description At or before: an ISO 8601 timestamp, UTC without an offset. */
                to?: string;
                /** @description The message or the fields contain this text. Covers the newest 10000 that match the other filters. */
                text?: string;
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["LogPage"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    countRuns: {
        parameters: {
            query?: {
                /** @description How far back: `90m`, `24h`, `14d`. Default: `24h`, unless `from` is given. */
                range?: string;
                /** @description An ISO 8601 timestamp, UTC without an offset, instead of `range`. Rounded down to the start of an interval. */
                from?: string;
                /** @description An ISO 8601 timestamp, UTC without an offset. Rounded up to the end of an interval. Default: now. */
                to?: string;
                /** @description The length of an interval: minutes, or whole hours. Default: one that gives 40 to 80 points. */
                interval?: string;
                groupBy?: "none" | "agent" | "workflow" | "model" | "user";
                /** @description Count only this agent, workflow, model or user, as `groupBy` says. */
                group?: string;
                /** @description How many groups are listed. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Metrics"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                /** @description How far back: `90m`, `24h`, `14d`. Default: `24h`, unless `from` is given. */
                range?: string;
                /** @description An ISO 8601 timestamp, UTC without an offset, instead of `range`. Rounded down to the start of an interval. */
                from?: string;
                /** @description An ISO 8601 timestamp, UTC without an offset. Rounded up to the end of an interval. Default: now. */
                to?: string;
                /** @description The length of an interval: minutes, or whole hours. Default: one that gives 40 to 80 points. */
                interval?: string;
                /** @description How many groups are listed. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["Failures"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getAgentDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["AgentDefinition"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["SystemReport"];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    checkUpdates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            hasUpdates: boolean;
                            updates: {
                                /** @description Name of the npm package. */
                                name: string;
                                installed: string;
                                latest: string;
                                type: "major" | "minor" | "patch";
                            }[];
                            count: number;
                            /** @description The result in words; also reports an unreachable registry. */
                            message: string;
                        };
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    installUpdates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            updated: {
                                name: string;
                                /** @description Null if it was not installed. */
                                from: string | null;
                                /** @description The installed version. */
                                to: string;
                            }[];
                            /** @description Whether anything was updated. Updates take effect at the next start. */
                            restartRequired: boolean;
                        };
                    };
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    installUpdate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                packageName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            updated: {
                                name: string;
                                /** @description Null if it was not installed. */
                                from: string | null;
                                /** @description The installed version. */
                                to: string;
                            }[];
                            /** @description Whether anything was updated. Updates take effect at the next start. */
                            restartRequired: boolean;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    setUpObservability: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    publicKey: string;
                    secretKey: string;
                };
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            message: string;
                            /**
                             * @description In the directory of the app.
                             * @constant
                             */
                            path: ".env";
                        };
                        /** @description Why the reply may not be what the request asks for: a conversation that is not stored, a text that a default has cut. In development also the unknown fields of the body, which are ignored, and the nearest known ones. */
                        warnings?: string[];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getAgentCard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCard"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listMcpServers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["McpServerSummary"][];
                    };
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getMcpServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["McpServerSummary"];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listMcpTools: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["McpToolSummary"][];
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listSystemLogs: {
        parameters: {
            query?: {
                /** @description This level and higher ones. */
                level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
                agentId?: string;
                workflowId?: string;
                executionId?: string;
                conversationId?: string;
                /** @description Written at or after: an ISO 8601 timestamp, UTC without an offset. */
                since?: string;
                /** @description Written at or before: an ISO 8601 timestamp, UTC without an offset. */
                until?: string;
                /** @description The message or the fields contain this text. Covers the newest 10000 that match the other filters. */
                text?: string;
                /** @description Without the lines of requests of this client, such as `console`: of the newest 10000 lines that match the other filters. */
                withoutClient?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: components["schemas"]["LogEntry"][];
                        /** @description The number of matching lines. */
                        total: number;
                        /** @description Whether others follow. */
                        hasMore: boolean;
                        query: {
                            /**
                             * @description This level and higher ones.
                             * @enum {string}
                             */
                            level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
                            agentId?: string;
                            workflowId?: string;
                            executionId?: string;
                            conversationId?: string;
                            /**
                             * Format: date-time
                             * @description Written at or after: an ISO 8601 timestamp, UTC without an offset.
                             */
                            since?: string;
                            /**
                             * Format: date-time
                             * @description Written at or before: an ISO 8601 timestamp, UTC without an offset.
                             */
                            until?: string;
                            /** @description The message or the fields contain this text. Covers the newest 10000 that match the other filters. */
                            text?: string;
                            /** @description Without the lines of requests of this client, such as `console`: of the newest 10000 lines that match the other filters. */
                            withoutClient?: string;
                            /** @default 100 */
                            limit: number;
                        };
                    };
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    /** @description Seconds to wait before a retry */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getLandingPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `etag` of the document that the client has. */
                "if-none-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description For `if-none-match` */
                    etag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        info: {
                            title: string;
                            version: string;
                            description: string;
                        };
                        /** @description Empty on a server without access control; else each operation states its own. */
                        security?: {
                            [key: string]: string[];
                        }[];
                        servers: {
                            url: string;
                            description: string;
                        }[];
                        tags: {
                            name: string;
                            description?: string;
                        }[];
                        /** @description Operations by path and method. */
                        paths: {
                            [key: string]: unknown;
                        };
                        /** @description The named schemas, and the credentials. */
                        components: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            /** @description The client has it */
            304: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description For `if-none-match` */
                    etag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: "ready" | "draining" | "unavailable";
                        unavailable?: {
                            /** @description `storage`: of the server; `memory`: the storage of an agent's own memory; `vectors`: a vector store */
                            part: "storage" | "memory" | "vectors";
                            /** @description `silent`: no response within 2 s; `misconfigured`: somebody must act, for example run the migrations, or let the role write; `unreachable`: any other failure */
                            problem: "silent" | "unreachable" | "misconfigured";
                        }[];
                    };
                };
            };
            /** @description The server is shutting down, or a part that it needs is unavailable */
            503: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: "ready" | "draining" | "unavailable";
                        unavailable?: {
                            /** @description `storage`: of the server; `memory`: the storage of an agent's own memory; `vectors`: a vector store */
                            part: "storage" | "memory" | "vectors";
                            /** @description `silent`: no response within 2 s; `misconfigured`: somebody must act, for example run the migrations, or let the role write; `unreachable`: any other failure */
                            problem: "silent" | "unreachable" | "misconfigured";
                        }[];
                    };
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Failures of any request: invalid HTTP (400), a page of another site that may not change anything (403), a request that arrives too slowly (408), a URL or headers that are too long (414, 431), a fault of the server (500) */
            default: {
                headers: {
                    /** @description Id of the request, which the log contains too */
                    "x-request-id"?: string;
                    /** @description Stable code of the failure */
                    "x-error-code"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
}
