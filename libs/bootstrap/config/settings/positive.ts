import { z } from 'zod';

export const positive = (max: number) => z.int().min(1).max(max);
