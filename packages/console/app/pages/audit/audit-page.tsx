import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { FilterSelect, FilterText, TimeSelect } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { saveFile } from '../conversations/export-user.ts';
import { AuditList } from './audit-list.tsx';
import { exportAudit } from './export-audit.ts';
import type { AuditSearch } from './use-audit.ts';

const route = getRouteApi('/audit');

/** What the server records. Others, of a newer server, are shown too. */
const actions = [
  'approval.answer',
  'approval.expire',
  'approval.revoke',
  'approval.shadow',
  'audit.export',
  'bulk.cancel',
  'bulk.start',
  'conversation.clone',
  'conversation.create',
  'conversation.delete',
  'conversation.read',
  'conversation.update',
  'event.publish',
  'execution.cancel',
  'execution.replay',
  'execution.resume',
  'execution.retry',
  'execution.suspend',
  'execution.terminate',
  'memory.search',
  'messages.delete',
  'messages.save',
  'updates.install',
  'user.delete',
  'user.export',
];

/** Who did what, when and on what, with a download of all records that match. */
export function AuditPage(): ReactNode {
  const search: AuditSearch = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: AuditSearch): void => {
    void navigate({ search: { ...search, ...changed }, replace: true });
  };
  const { action, actor, range, target } = search;
  const download = useMutation({
    mutationFn: () => exportAudit(search),
    onSuccess: (blob) => {
      saveFile(blob, 'audit.jsonl');
      notify('The records are downloaded, one in each line.');
    },
    onError: notifyFailure,
  });
  const isFiltered = [action, actor, range, target].some((value) => value !== undefined);
  return (
    <Page
      title="Audit"
      actions={
        <Button icon="download" isBusy={download.isPending} onClick={() => download.mutate()}>
          Download
        </Button>
      }
      bar={
        <>
          <FilterText label="Who" value={actor} onChange={(next) => change({ actor: next })} />
          <FilterSelect
            label="What"
            value={action}
            options={action === undefined || actions.includes(action) ? actions : [...actions, action]}
            onChange={(next) => change({ action: next })}
          />
          <TimeSelect value={range} onChange={(next) => change({ range: next })} />
          <FilterText label="On" placeholder="any id" value={target} onChange={(next) => change({ target: next })} />
        </>
      }
    >
      <AuditList search={search} empty={isFiltered ? 'No record matches' : 'Nothing has been recorded yet'} />
    </Page>
  );
}
