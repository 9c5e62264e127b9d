/** The unit is the operator's. */
export function formatCost(cost: number): string {
  return cost.toLocaleString(undefined, { maximumFractionDigits: cost < 1 ? 4 : 2 });
}
