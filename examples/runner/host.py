"""An execbox host: runs a program in `cordon runner` and answers its tool calls."""
import json
import subprocess

TOOLS = {"add": lambda numbers: numbers["a"] + numbers["b"]}
LIMITS = {"timeoutMs": 5000, "memoryLimitBytes": 64 << 20, "maxLogLines": 100, "maxLogChars": 64000}


def execute(code, options=LIMITS):
    with subprocess.Popen(["cordon", "runner"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as runner:
        def send(message):
            runner.stdin.write(json.dumps(message).encode() + b"\n")
            runner.stdin.flush()

        manifest = {name: {"safeName": name, "originalName": name} for name in TOOLS}
        send({"type": "execute", "id": "1", "code": code, "options": options,
              "providers": [{"name": "tools", "tools": manifest, "types": ""}]})
        for message in map(json.loads, runner.stdout):
            if message["type"] == "done":
                return message
            if message["type"] == "tool_call":
                message.setdefault("input", None)
                answer = {"type": "tool_result", "callId": message["callId"]}
                try:
                    result = TOOLS[message["safeToolName"]](message["input"])
                    send({**answer, "ok": True, "result": result})
                except Exception as error:
                    send({**answer, "ok": False, "error": {"code": "tool_error", "message": str(error)}})


done = execute("console.log('asking'); (await tools.add({ a: 40, b: 1 })) + 1")
print(done["ok"], done["result"], done["logs"])
