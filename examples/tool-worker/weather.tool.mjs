import { defineTool, ResourceNotFoundError, z } from 'switchyard/tools';

const FORECASTS = { berlin: 'rain, 12 °C', lisbon: 'sun, 24 °C', oslo: 'snow, -3 °C' };

export default defineTool({
  name: 'forecast',
  description: 'Tells the weather of tomorrow in a city. Knows Berlin, Lisbon and Oslo.',
  input: z.strictObject({ city: z.string().min(1).describe('Name of the city, in English') }),
  version: '1.0.0',
  class: 'read',
  timeoutMs: 5_000,
  run: ({ city }) => {
    const forecast = FORECASTS[city.toLowerCase()];
    if (forecast) return `${city}: ${forecast}`;
    throw new ResourceNotFoundError(`No forecast for ${city}.`);
  },
});
