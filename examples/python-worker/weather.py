"""A worker with one tool: RABBITMQ_URL=… WORKER_GROUP=lab python weather.py"""

from switchyard_worker import Call, ToolError, main, tool

FORECASTS = {"berlin": "rain, 12 °C", "lisbon": "sun, 24 °C", "oslo": "snow, -3 °C"}


@tool(
    input={
        "type": "object",
        "properties": {"city": {"type": "string", "minLength": 1, "description": "Name of the city, in English"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    tool_class="read",
    timeout_ms=5_000,
)
async def forecast(call: Call, city: str) -> str:
    """Tells the weather of tomorrow in a city. Knows Berlin, Lisbon and Oslo."""
    if city.lower() not in FORECASTS:
        raise ToolError("ResourceNotFound", f"No forecast for {city}.")
    return f"{city}: {FORECASTS[city.lower()]}"


if __name__ == "__main__":
    main({"weather": [forecast]})
