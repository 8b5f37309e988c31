from client import client

# sample
# Each event after the last one that you handled.
for event in client.events.all(41):
    print(event["sequence"], event["type"])
