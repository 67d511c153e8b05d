#!/usr/bin/env python3
"""A hook that keeps its process: notes on every Pod how often its containers were restarted.

  kubectl informer reconcile pods -A --hook examples/hooks/restart-counter.py --hook-mode warm

In warm mode each line on stdin is a request. Its reply is one line on stdout with the id of the request, and must be
flushed. All other lines are shown with the key. The process ends when its stdin is closed.
"""
import json
import sys

NOTE = "example.com/restarts"


def actions_for(pod):
    if pod is None:  # it is gone
        return []
    statuses = pod.get("status", {}).get("containerStatuses", [])
    restarts = str(sum(status.get("restartCount", 0) for status in statuses))
    noted = pod["metadata"].get("annotations", {}).get(NOTE)
    if noted == restarts:  # already there: nothing to do
        return []
    print(f"{restarts} restarts, before: {noted or 'not known'}", file=sys.stderr, flush=True)
    return [{"patch": {"metadata": {"annotations": {NOTE: restarts}}}}]


for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"], "actions": actions_for(request["object"])}
    print(json.dumps(reply), flush=True)
