import '../styles/ops.css';
import '../styles/ops-table.css';
import '../styles/ops-why.css';
import '../styles/ops-narrow.css';
import type { ReactNode } from 'react';
import { Connection } from '../connection/connection.js';
import { OpsApp } from './ops-app.js';

/** The page of operators. Its connection only signs in: what it shows comes over HTTP. */
export function startOps(): ReactNode {
  const connection = new Connection();
  connection.open();
  return <OpsApp connection={connection} />;
}
