"""A worker with one tool, in Python."""

from switchyard_worker import Call, ToolError, main, tool

FREE = {"hamburg": 3, "bergen": 0}


@tool(
    input={
        "type": "object",
        "properties": {"harbour": {"type": "string", "minLength": 1, "description": "Name of the harbour, in English"}},
        "required": ["harbour"],
        "additionalProperties": False,
    },
    tool_class="read",
    timeout_ms=5_000,
)
async def free(call: Call, harbour: str) -> dict[str, object]:
    """Tells how many berths are free now in a harbour. Knows Hamburg and Bergen."""
    if harbour.lower() not in FREE:
        raise ToolError("ResourceNotFound", f"No berths are known in {harbour}.")
    return {"harbour": harbour, "free": FREE[harbour.lower()]}


if __name__ == "__main__":
    main({"berths": [free]})
