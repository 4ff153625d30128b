-- What wrk asks: the JSON add task.
wrk.method = "POST"
wrk.body = '{"input":{"a":1,"b":2}}'
wrk.headers["content-type"] = "application/json; charset=utf-8"
wrk.headers["x-runner-token"] = "secret"
