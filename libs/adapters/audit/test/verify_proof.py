"""Checks a proof by docs/reference/audit.md alone (AUD-2 to AUD-4, AUD-9, AUD-19, AUD-27), with Python's standard library.

The signature is left out: hashlib has no Ed25519. Usage: verify_proof.py proof.json head.json
"""

import hashlib
import json
import sys


def sha256(data):
    return hashlib.sha256(data).digest()


def canonical(value):
    """RFC 8785 for what a posting holds: texts, whole numbers, lists, objects with ASCII names."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def root_from(leaf, index, size, path):
    """RFC 9162, 2.1.3.2."""
    if not 0 <= index < size:
        return None
    fn, sn, r = index, size - 1, leaf
    for p in path:
        if sn == 0:
            return None
        if fn & 1 or fn == sn:
            r = sha256(b"\x01" + p + r)
            while not fn & 1 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = sha256(b"\x01" + r + p)
        fn, sn = fn >> 1, sn >> 1
    return r if sn == 0 else None


def goes_on(first, second, path):
    """RFC 9162, 2.1.4.2. Each tree is (size, root)."""
    (old_size, old_root), (new_size, new_root) = first, second
    if old_size == new_size:
        return path == [] and old_root == new_root
    if old_size == 0:
        return path == [] and old_root == sha256(b"")
    if old_size > new_size or path == []:
        return False
    if old_size & (old_size - 1) == 0:
        path = [old_root] + path
    fn, sn = old_size - 1, new_size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = sha256(b"\x01" + c + fr), sha256(b"\x01" + c + sr)
            while not fn & 1 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = sha256(b"\x01" + sr + c)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and fr == old_root and sr == new_root


def extends(proof, kept):
    later = proof["head"]["head"]
    return kept != later and all(
        goes_on(
            (int(kept[size]), bytes.fromhex(kept[root])),
            (int(later[size]), bytes.fromhex(later[root])),
            [bytes.fromhex(text) for text in proof["consistency"][tree]],
        )
        for tree, size, root in (("postings", "treeSize", "root"), ("history", "historySize", "historyRoot"))
    )


def holds(item, head):
    leaf = sha256(b"\x00" + canonical(item["posting"]))
    proof = item["proof"]
    if proof is None or leaf.hex() != item["leaf_hash"]:
        return False
    if str(proof["tree_size"]) != head["treeSize"]:
        return False
    path = [bytes.fromhex(text) for text in proof["path"]]
    root = root_from(leaf, proof["index"], proof["tree_size"], path)
    return root is not None and root.hex() == head["root"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        proof = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        head = json.load(file)["head"]
    postings = proof.get("postings", [])
    is_since = "consistency" in proof
    against = proof["head"]["head"] if is_since else head
    ok = (is_since or len(postings) > 0) and all(holds(item, against) for item in postings)
    ok = ok and (not is_since or extends(proof, head))
    print("holds" if ok else "does not hold")
    sys.exit(0 if ok else 1)


main()
