//! Guests that break or attack, each with what must come of it. The case after
//! theirs finds nothing of it.

use std::time::{Duration, Instant};

use duipai::{
    observation::{Observation, Outcome},
    subject::{Fault, Subject},
};
use duipai_platform::Profile;
use duipai_spec::event::{Call, End, EventKind};

use crate::guests::{guest, scene, send, send_batch};

const BUDGET: Duration = Duration::from_secs(20);

/// What one `send` in a `fetch` event comes to.
fn one_send(subject: &dyn Subject, budget: Duration) -> Result<Observation, Fault> {
    let scene = scene(EventKind::Fetch, vec![send("{}")]);
    subject.run(&scene, Profile::default(), budget).map(|mut seen| seen.remove(0))
}

/// The subject still answers.
fn unharmed(subject: &dyn Subject) {
    let scene = scene(EventKind::Fetch, vec![send_batch()]);
    let seen = subject.run(&scene, Profile::default(), BUDGET).unwrap().remove(0);
    assert_eq!(seen.outcomes, [Outcome::Returned { value: None }]);
    assert_eq!(seen.end, End::Fulfilled);
}

/// A guest with this `send` crashes, for this reason.
fn crashes(send: &str, more: &str, reason: &str) {
    let subject = guest(send, more);
    assert_eq!(one_send(&*subject, BUDGET), Err(Fault::Crashed(reason.to_owned())));
    unharmed(&*subject);
}

/// A guest with this `send` makes the host end the event, with a text that
/// begins like this.
fn aborted(send: &str, text: &str) {
    let subject = guest(send, "");
    let seen = one_send(&*subject, BUDGET).unwrap();
    let [Outcome::Aborted { reason }] = seen.outcomes.as_slice() else { panic!("{seen:?}") };
    assert!(reason.starts_with(text), "{reason}");
    assert_eq!(seen.end, End::Aborted(reason.clone()));
    assert_eq!(seen.calls, []);
    unharmed(&*subject);
}

#[test]
fn a_trap() {
    crashes("unreachable", "", "wasm trap: wasm `unreachable` instruction executed, in send");
    crashes("(i32.load (i32.const -4))", "", "wasm trap: out of bounds memory access, in send");
    let divide = "(func $divide (param i32) (result i32) (i32.div_u (i32.const 1) (local.get 0)))";
    crashes(
        "(call $divide (i32.const 0))",
        divide,
        "wasm trap: integer divide by zero, in divide < send",
    );
}

#[test]
fn an_infinite_loop() {
    let subject = guest("(loop $again (br $again)) unreachable", "");
    let start = Instant::now();
    assert_eq!(one_send(&*subject, Duration::from_millis(100)), Err(Fault::TimedOut));
    assert!(start.elapsed() < BUDGET, "{:?}", start.elapsed());
    unharmed(&*subject);
}

#[test]
fn an_infinite_loop_while_it_starts() {
    let subject = guest("(call $ok)", "(func $main (loop $again (br $again))) (start $main)");
    assert_eq!(one_send(&*subject, Duration::from_millis(100)), Err(Fault::TimedOut));
}

#[test]
fn a_budget_that_is_used_up() {
    let subject = guest("(call $ok)", "");
    assert_eq!(one_send(&*subject, Duration::ZERO), Err(Fault::TimedOut));
}

#[test]
fn a_memory_bomb() {
    let grow = "(loop $again (drop (memory.grow (i32.const 16))) (br $again)) unreachable";
    crashes(grow, "", "the guest wants more than 64 MiB of memory, in send");
}

#[test]
fn a_table_that_grows() {
    let grow = "(loop $again
        (drop (table.grow $t (ref.null func) (i32.const 1000))) (br $again)) unreachable";
    crashes(
        grow,
        "(table $t 0 funcref)",
        "the guest wants more than 100000 table elements, in send",
    );
}

#[test]
fn a_stack_overflow() {
    let deep = "(func $deep (call $deep))";
    let reason = "wasm trap: call stack exhausted, in deep < deep < deep < deep < deep < deep < …";
    crashes("(call $deep) (call $ok)", deep, reason);
}

#[test]
fn a_forged_handle() {
    aborted("(call $release (i64.const 12345)) (call $ok)", "宿主句柄不存在或已释放：12345");
    // Beyond what a handle can be, and zero, which never is one.
    aborted("(call $release (i64.const -1)) (call $ok)", "宿主句柄不存在或已释放：");
    aborted("(call $release (i64.const 0)) (call $ok)", "宿主句柄不存在或已释放：0");
}

#[test]
fn a_released_handle() {
    let twice = "(local $json i64)
        (local.set $json (call $global (i32.const 64) (i32.const 4)))
        (call $release (local.get $json)) (call $release (local.get $json)) (call $ok)";
    aborted(twice, "宿主句柄不存在或已释放：");
}

#[test]
fn more_handles_than_there_are() {
    let hoard = "(loop $again
        (drop (call $global (i32.const 64) (i32.const 4))) (br $again)) unreachable";
    aborted(hoard, "宿主句柄超过 4096 个");
}

#[test]
fn a_queue_primitive_in_another_event() {
    let text = "队列原语只在队列事件里可用，当前事件是 fetch";
    aborted("(drop (call $batch_count)) (call $ok)", text);
    aborted("(call $ack (i32.const 0)) (call $ok)", text);
}

#[test]
fn a_host_call_while_it_starts() {
    let main = "(func $main (call $ack (i32.const 0))) (start $main)";
    let subject = guest("(call $ok)", main);
    let seen = one_send(&*subject, BUDGET).unwrap();
    let text = "队列原语只在队列事件里可用，当前事件是 fetch".to_owned();
    assert_eq!(seen.outcomes, [Outcome::NotReached]);
    assert_eq!(seen.end, End::Aborted(text));
    // In a queue event the host allows it, and it is seen.
    let queue = scene(EventKind::Queue, vec![send("{}")]);
    let seen = subject.run(&queue, Profile::default(), BUDGET).unwrap().remove(0);
    assert_eq!(seen.outcomes, [Outcome::Returned { value: None }]);
    assert_eq!(seen.calls, [Call::Ack { message: 0 }]);
}

#[test]
fn a_host_call_with_texts_while_it_starts() {
    let main = "(func $main (drop (call $global (i32.const 64) (i32.const 4)))) (start $main)";
    let subject = guest("(call $ok)", main);
    let Err(Fault::Crashed(reason)) = one_send(&*subject, BUDGET) else { panic!("it started") };
    assert!(reason.contains(" < main"), "{reason}");
}

#[test]
fn texts_that_are_too_long() {
    let too_long = "the guest handed over a text of 33553408 bytes, 8388608 at most";
    crashes("(call $throw (i32.const 1024) (i32.const 33553408))", "", too_long);
    // Between guest and host stands a function of the component's own making.
    let argument = "(drop (call $global (i32.const 1024) (i32.const 33553408))) unreachable";
    crashes(argument, "", &format!("{too_long}, in function 0 < send"));
    let hoard = "(loop $again
        (drop (call $bytes_to_handle (i32.const 0) (i32.const 8388608))) (br $again)) unreachable";
    let too_many = "the guest handed over more than 67108864 bytes in one event";
    crashes(hoard, "", &format!("{too_many}, in function 2 < send"));
}

#[test]
fn results_that_are_not_what_they_say() {
    crashes(
        "(call $throw (i32.const 80) (i32.const 2))",
        "",
        "invalid utf-8 sequence of 1 bytes from index 0",
    );
    crashes(
        "(call $throw (i32.const 33554430) (i32.const 4))",
        "",
        "string pointer/length out of bounds of memory",
    );
    crashes("(i32.const 33554431)", "", "return pointer not aligned");
    let discriminant = "(i32.store8 (i32.const 16) (i32.const 7)) (i32.const 16)";
    crashes(discriminant, "", "invalid expected discriminant");
}

/// A second event finds the guest as it was at first; a second call in the same
/// event does not.
#[test]
fn state_ends_with_the_event() {
    let send_once = "(if (i32.load (i32.const 8)) (then
            (return (call $throw (i32.const 96) (i32.const 4)))))
        (if (global.get $sent) (then (return (call $throw (i32.const 96) (i32.const 4)))))
        (i32.store (i32.const 8) (i32.const 1)) (global.set $sent (i32.const 1)) (call $ok)";
    let subject = guest(send_once, "(global $sent (mut i32) (i32.const 0))");
    let scene = scene(EventKind::Fetch, vec![send("{}"), send("{}")]);
    for _ in 0..3 {
        let seen = subject.run(&scene, Profile::default(), BUDGET).unwrap().remove(0);
        let kept = Outcome::Threw { message: "kept".to_owned() };
        assert_eq!(seen.outcomes, [Outcome::Returned { value: None }, kept]);
    }
}
