import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from '@assistant-ui/react';
import { AssistantChatTransport, useChatRuntime } from '@assistant-ui/react-ai-sdk';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

function Question(): ReactNode {
  return (
    <MessagePrimitive.Root className="user">
      <MessagePrimitive.Parts />
      <ActionBarPrimitive.Root>
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </ActionBarPrimitive.Root>
      <Branches />
    </MessagePrimitive.Root>
  );
}

function Answer(): ReactNode {
  return (
    <MessagePrimitive.Root className="assistant">
      <MessagePrimitive.Parts />
      <ActionBarPrimitive.Root>
        <ActionBarPrimitive.Reload>Reload</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
      <Branches />
    </MessagePrimitive.Root>
  );
}

function Branches(): ReactNode {
  return (
    <BranchPickerPrimitive.Root>
      <BranchPickerPrimitive.Previous>Previous</BranchPickerPrimitive.Previous>
      <BranchPickerPrimitive.Next>Next</BranchPickerPrimitive.Next>
    </BranchPickerPrimitive.Root>
  );
}

function Edited(): ReactNode {
  return (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input aria-label="Edited" />
      <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  );
}

function Page(): ReactNode {
  const runtime = useChatRuntime({
    transport: new AssistantChatTransport({
      api: '/agents/assistant/chat',
      body: { options: { conversationId: 'c1' } },
    }),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages>
          {({ message }) =>
            message.role !== 'user' ? <Answer /> : message.composer.isEditing ? <Edited /> : <Question />
          }
        </ThreadPrimitive.Messages>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Page />);
