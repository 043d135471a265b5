"""A picture of a page: shot.py PAGE[#t=…] OUT.png [WIDTH HEIGHT]"""
import os
import sys
from chromium import Browser

page, out = sys.argv[1:3]
width, height = (int(x) for x in sys.argv[3:5]) if len(sys.argv) > 4 else (1280, 720)
name, mark, rest = page.partition("#")
with Browser(width, height) as b:
    b.open("file://" + os.path.abspath(name) + mark + rest)
    b.drain(1.0)
    b.screenshot(out)
    for line in b.complaints():
        print(line, file=sys.stderr)
