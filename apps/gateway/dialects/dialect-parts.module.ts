import type { DynamicModule } from '@nestjs/common';

/** What Nest wires of a dialect. */
export type DialectParts = Required<Pick<DynamicModule, 'controllers' | 'providers'>>;
