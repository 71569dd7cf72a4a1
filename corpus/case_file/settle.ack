# 确认队列消息: which message is acknowledged, and indices that are none.

format = 1

[[case]]
id = "ack.one"
says = ["ack.acks", "ack.arguments", "read.index-from-zero", "ack.not-retried"]
level = "must"
title = "确认序号 ${index}：只有这一条"
each = [
  { key = "first", index = 0 },
  { key = "middle", index = 1 },
  { key = "last", index = 2 },
]
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }, { json = '3' }] }
steps = [{ op = "ack", index = "${index}", expect = "returned" }]
calls = [{ ack = "${index}" }]
after = { cloudflare = { basis = "documented", redelivered = [] }, miniflare = { basis = "measured", redelivered = [] } }

[[case]]
id = "ack.each"
says = ["ack.acks", "end.no-batch-calls", "adapter.no-batch-calls"]
level = "must"
title = "逐条确认全部：三次 ack，没有 ackAll"
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }, { json = '3' }] }
steps = [
  { op = "ack", index = 0, expect = "returned" },
  { op = "ack", index = 1, expect = "returned" },
  { op = "ack", index = 2, expect = "returned" },
]
calls = [{ ack = 0 }, { ack = 1 }, { ack = 2 }]

[[case]]
id = "ack.reversed"
says = ["ack.acks", "ack.arguments", "read.order"]
level = "must"
title = "倒序确认按调用的次序到达平台"
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }, { json = '3' }] }
steps = [
  { op = "ack", index = 2, expect = "returned" },
  { op = "read-batch", expect = "batch" },
  { op = "ack", index = 1, expect = "returned" },
  { op = "ack", index = 0, expect = "returned" },
]
calls = [{ ack = 2 }, { ack = 1 }, { ack = 0 }]

[[case]]
id = "ack.index.last"
says = ["ack.index", "ack.acks"]
level = "must"
title = "最后一条的序号是消息数减一"
pair = { with = "ack.index.count", edit = "index", by = 1 }
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }] }
steps = [{ op = "ack", index = 1, expect = "returned" }]
calls = [{ ack = 1 }]

[[case]]
id = "ack.index.count"
says = ["ack.index", "adapter.index.checked", "row.11"]
level = "must"
title = "序号等于消息数：越界"
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }] }
steps = [{ op = "ack", index = 2, expect = { throws = "队列消息序号越界" } }]
calls = []

[[case]]
id = "ack.index.first"
says = ["ack.index", "read.index-from-zero"]
level = "must"
title = "第一条的序号是 0"
pair = { with = "ack.index.minus-one", edit = "index", by = -1 }
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }] }
steps = [{ op = "ack", index = 0, expect = "returned" }]
calls = [{ ack = 0 }]

[[case]]
id = "ack.index.minus-one"
says = ["ack.index", "adapter.index.checked", "row.11"]
level = "must"
title = "序号 -1：越界，不是倒数第一条"
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }] }
steps = [{ op = "ack", index = -1, expect = { throws = "队列消息序号越界" } }]
calls = []

[[case]]
id = "ack.index.out"
says = ["ack.index"]
level = "must"
title = "序号 ${index}：越界"
why = "cut down to 32 bits, some of these are 0 or 1"
each = [
  { key = "n3", index = 3 },
  { key = "n100", index = 100 },
  { key = "minus-two", index = -2 },
  { key = "wraps-to-0", index = 4294967296 },
  { key = "wraps-to-1", index = 4294967297 },
  { key = "minus-wraps-to-0", index = -4294967296 },
  { key = "i32-most", index = 2147483647 },
  { key = "i32-least", index = -2147483648 },
  { key = "u32-most", index = 4294967295 },
  { key = "safe-most", index = 9007199254740991 },
]
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }, { json = '2' }] }
steps = [{ op = "ack", index = "${index}", expect = { throws = "队列消息序号越界" } }]
calls = []

[[case]]
id = "ack.index.empty-batch"
says = ["ack.index"]
level = "must"
title = "空批次里序号 0 也越界"
event = "queue"
batch = { queue = "page", messages = [] }
steps = [{ op = "ack", index = 0, expect = { throws = "队列消息序号越界" } }]
calls = []

[[case]]
id = "ack.index.caught"
says = ["ack.index", "end.caught", "errors.catchable"]
level = "must"
title = "捕获越界之后还能确认，事件照常结束"
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }] }
steps = [
  { op = "ack", index = 1, expect = { throws = "队列消息序号越界" } },
  { op = "ack", index = 0, expect = "returned" },
]
calls = [{ ack = 0 }]

[[case]]
id = "ack.index.uncaught"
says = ["ack.index", "end.uncaught"]
level = "must"
title = "越界无人捕获：事件失败"
event = "queue"
batch = { queue = "page", messages = [{ json = '1' }] }
steps = [
  { op = "ack", index = -1, caught = false, expect = { throws = "队列消息序号越界" } },
  { op = "ack", index = 0, expect = "not-reached" },
]
calls = []
end = "rejected"

[[case]]
id = "ack.throws"
says = ["adapter.promise", "end.uncaught"]
level = "should"
title = "平台的 ack 抛出错误：中止，不当作成功"
event = "queue"
batch = { queue = "page", messages = [{ json = '1', ack_throws = "no" }, { json = '2' }] }
steps = [
  { op = "ack", index = 0, expect = "aborts" },
  { op = "ack", index = 1, expect = "not-reached" },
]
calls = [{ ack = 0 }]
after = { cloudflare = { basis = "documented", redelivered = [{ message = 0, attempts = 2 }, { message = 1, attempts = 2 }] }, miniflare = { basis = "measured", redelivered = [{ message = 0, attempts = 2 }, { message = 1, attempts = 2 }] } }
