#!/bin/sh
# A hook that is an executable: labels every Deployment with the team its namespace belongs to.
#   kubectl informer reconcile deployments -A --hook examples/hooks/label.sh
# The request comes as one line of JSON on stdin; the most used parts of it are in the environment too. The reply is the last line on stdout.
request=$(cat)

[ "$INFORMER_DELETED" = true ] && exit 0

case $INFORMER_NAMESPACE in
  shop) team=storefront ;;
  kube-*) team=platform ;;
  *)
    echo "no team is known for namespace $INFORMER_NAMESPACE" >&2 # the last line on stderr is told with the failure
    exit 65 # for good: trying again will not help until something changes
    ;;
esac

case $request in
  *"\"labels\":{"*"\"team\":\"$team\""*) exit 0 ;; # it has the label: nothing to do
esac
echo "{\"actions\":[{\"patch\":{\"metadata\":{\"labels\":{\"team\":\"$team\"}}}}]}"
